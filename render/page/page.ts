export { drawChart } from '../draw/chart.ts'
export { composeAskedChart } from '../request/compose-asked.ts'
export { pagePlatform } from './page-platform.ts'
