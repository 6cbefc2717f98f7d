export const firstChart = { metrics: ['price', 'realized_price', 'sth_realized_price'], scale: 'log' as const }
