import pino, { type DestinationStream, type Logger } from 'pino'
import { secretValues, type Config } from '#config'

/**
 * Credentials as they look wherever they stand: Parley's own, a bearer header, a provider's key,
 * the password of a URL.
 */
const credentials =
  /\b(?:svc_(?:ck|sk|at|rt)_|acp_|sk-|[sr]k_(?:live|test)_|whsec_|spt_)[\w-]{8,}|(?<=\bBearer )[^\s"\\]+|(?<=\b[a-z][a-z+]*:\/\/[^\s:@/"]*:)[^\s@/"]+(?=@)/gi

/** Fields that hold a credential whatever it looks like. */
const secretFields = [
  'authorization',
  'cookie',
  'password',
  'api_key',
  'apiKey',
  'secretKey',
  'token',
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`])

/**
 * The log: one JSON object a line, on stderr unless `destination` says otherwise. Secrets are
 * masked by field, by shape, and by value for those of the configuration, so that no line,
 * not even an upstream's error text, can carry one.
 */
export function createLogger(
  config: Pick<Config, 'logLevel'> & Partial<Config>,
  destination: DestinationStream = pino.destination({ fd: 2, sync: true }),
): Logger {
  const values = secretValues(config).filter(({ length }) => length >= minSecretLength)
  return pino(
    {
      level: config.logLevel,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretFields, censor: '[secret]' },
      hooks: { streamWrite: (line) => mask(line, values) },
    },
    destination,
  )
}

/** A value of a few characters would mask ordinary words. */
const minSecretLength = 8

function mask(line: string, values: readonly string[]): string {
  let masked = line.replace(credentials, '[secret]')
  for (const value of values) masked = masked.replaceAll(value, '[secret]')
  return masked
}
