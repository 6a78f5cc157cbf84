import pino, { type DestinationStream, type Logger } from 'pino'
import { secretValues, type Config } from '#config'
import { createOutageFilter } from './log-outages.ts'
import { lineForPeople } from './log-line.ts'

/**
 * Credentials recognised by their form in any text: Parley's own, bearer headers, providers' keys,
 * passwords in URLs, cookies of Parley, and what is signed (JSON Web Tokens, tokens of visitors).
 */
const credentials =
  /\b(?:svc_(?:ck|sk|at|rt)_|acp_|pis_|pms_|sk-|[sr]k_(?:live|test)_|whsec_|spt_)[\w-]{8,}|(?<=\bBearer )[^\s"\\]+|(?<=\b[a-z][a-z+]*:\/\/[^\s:@/"]*:)[^\s@/"]+(?=@)|\beyJ[\w-]{8,}\.[\w.-]{8,}|(?<=\b(?:__(?:Host|Secure)-)?parley_\w{1,20}=)[^;,\s"\\]+/gi

/** Fields that contain a credential of any form. */
const secretFields = [
  'authorization',
  'cookie',
  'password',
  'api_key',
  'apiKey',
  'secretKey',
  'token',
]
const hasSecretField = new RegExp(`"(?:${secretFields.join('|')})":`)

/**
 * A line with the values of secret fields masked, at any depth. Few lines have such a field: pino's own
 * `redact` took five times as long as all the rest of a line.
 */
function withoutSecretFields(line: string): string {
  if (!hasSecretField.test(line)) return line
  const masked = JSON.parse(line, (name, value: unknown) =>
    secretFields.includes(name) ? '[secret]' : value,
  )
  return `${JSON.stringify(masked)}\n`
}

/**
 * The log: one JSON object per line, on stderr by default; on a terminal, lines for people. Secrets are masked by field, by form and,
 * for those of the configuration, by value, so that no line can contain one, not even in the error
 * text of another service. An outage of the database is one line.
 */
export function createLogger(
  config: Pick<Config, 'logLevel'> & Partial<Config>,
  destination?: DestinationStream,
  /** Receives each line as JSON, masked. */
  onLine?: (line: string) => void,
): Logger {
  const isForPeople = destination === undefined && process.stderr.isTTY
  const mask = createMask(config)
  const masked = (line: string) => mask(withoutSecretFields(line))
  const isRepeat = createOutageFilter()
  return pino(
    {
      level: config.logLevel,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        logMethod(args, method) {
          if (!isRepeat(args[0])) method.apply(this, args)
        },
        streamWrite(line) {
          onLine?.(masked(line))
          return isForPeople ? lineForPeople(masked(line)) : masked(line)
        },
      },
    },
    destination ?? pino.destination({ fd: 2, sync: true }),
  )
}

/** The password of a secret that is an address, as it is written and as a server receives it. */
function passwordIn(value: string): readonly string[] {
  const password = URL.canParse(value) ? new URL(value).password : ''
  return [password, decodeURIComponent(password)]
}

/** Masking shorter values would mask ordinary words. */
const minSecretLength = 8

/** The values of a secret that is a list of headers, such as `api-key=value`. */
function headersIn(value: string): readonly string[] {
  if (!/^\s*[\w-]+=/.test(value)) return []
  return value.split(',').map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
}

/** Masks secrets in a text: those of the configuration by value, others by their form. */
export function createMask(config: Partial<Config>): (text: string) => string {
  const values = secretValues(config)
    .flatMap((value) => [value, ...passwordIn(value), ...headersIn(value)])
    .filter(({ length }) => length >= minSecretLength)
  return (text) => {
    let masked = text.replace(credentials, '[secret]')
    for (const value of values) masked = masked.replaceAll(value, '[secret]')
    return masked
  }
}
