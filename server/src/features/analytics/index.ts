export { analyticsFaults } from './analytics-faults.ts'
export { getAppAnalytics, type AnalyticsDay, type AppAnalytics } from './get-app-analytics.ts'
