export { analyticsJobs } from './analytics-jobs.ts'
export { analyticsFaults } from './analytics-faults.ts'
export { applyRetention, deleteOutdated } from './apply-retention.ts'
export { eraseEndUser, type Erased } from './erase-end-user.ts'
export {
  getAppAnalytics,
  type AnalyticsCounts,
  type AnalyticsPeriod,
  type AppAnalytics,
} from './get-app-analytics.ts'
export { writeLocal } from './local-time.ts'
export { granularities } from './periods.ts'
export { questionText } from './question-text.ts'
export {
  maxComment,
  rateAnswer,
  type AnswerRating,
  type RatedAnswer,
  type RatingPlace,
} from './rate-answer.ts'
export { rollUp, rollUpAnalytics } from './roll-up.ts'
