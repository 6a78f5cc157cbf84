/** In milliseconds, as clocks and columns count. Days are of 24 hours. */
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** In seconds, as settings, tokens and HTTP headers count. */
export const hourSeconds = 3600
export const daySeconds = 24 * hourSeconds
