/** The channel of the dashboard's test chat. */
export const testChannel = 'dashboard'

/** Whose conversations count. */
export interface ChannelsWanted {
  /** Only this channel, even if it is the test chat; all channels without it. */
  readonly source?: string | undefined
  /** Whether test conversations count, too; by default not. */
  readonly includeTests?: boolean | undefined
}

/** Whether conversations of a channel count. */
export function isWantedChannel(
  { source, includeTests }: ChannelsWanted,
  channel: string,
): boolean {
  if (source !== undefined) return channel === source
  return includeTests === true || channel !== testChannel
}
