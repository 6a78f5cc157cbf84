import { indexConversations } from '#features/conversations/index.ts'
import { applyRetention } from './apply-retention.ts'
import { rollUpAnalytics } from './roll-up.ts'

export const analyticsJobs = [rollUpAnalytics, indexConversations, applyRetention]
