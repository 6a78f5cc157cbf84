export { listJobs, type ListedJob } from './list-jobs.ts'
