import type { Context } from '#platform/context.ts'

/** An address of this service as callers reach it. */
export function publicUrl({ config }: Pick<Context, 'config'>, path: string): string {
  return `${config.baseUrl}${path}`
}
