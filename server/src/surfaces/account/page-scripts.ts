import { join } from 'node:path'
import { pageScript } from '#surfaces/http/page-script.ts'
import { timesScript } from '#surfaces/http/page-times.ts'

const scriptOf = (file: string) => pageScript(join(import.meta.dirname, file))

/** Browsers offer passkeys to scripts alone. */
export const passkeyScript = scriptOf('passkey.js')

/** Copies the recovery codes. */
export const copyScript = scriptOf('copy.js')

/** All scripts of these pages. */
export const pageScripts = [passkeyScript, copyScript, timesScript] as const
