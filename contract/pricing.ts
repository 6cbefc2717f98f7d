/**
 * At which prices coins and spends are valued: those of the hour of their block where they are known, or the closes of days
 * alone.
 */
export const pricings = ['hourly', 'daily'] as const
export type Pricing = (typeof pricings)[number]
