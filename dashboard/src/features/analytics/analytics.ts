import type { OutputOf } from '#api/call-operation.ts'

export type Analytics = OutputOf<'get_app_analytics'>

/** The figures of one hour, day, week or month. */
export type Point = Analytics['series'][number]
