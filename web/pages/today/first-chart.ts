/** The first chart of the page: what coins cost beside what they are worth. */
export const firstChart = { metrics: ['price', 'realized_price', 'sth_realized_price'], scale: 'log' as const }
