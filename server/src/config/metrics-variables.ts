import { z } from 'zod'
import { flag, httpUrl, integer, text, variable } from './variable.ts'

/** How the service is watched. */
export const metricsVariables = {
  METRICS_PORT: variable(
    integer(0, 65_535).optional(),
    'Port of `HOST` that serves `/metrics` without a credential: open it to your monitoring only. Off by default.',
  ),
  METRICS_TOKEN: variable(
    z.string().min(16, 'must be at least 16 characters long').optional(),
    'Bearer token with which the service answers `/metrics` on `PORT`. Off by default.',
    { secret: true },
  ),
  SLOW_STATEMENT_MS: variable(
    integer(0),
    'A database statement that takes longer is logged, without its values. 0 turns this log off.',
    { fallback: '500' },
  ),
} as const

/** OpenTelemetry's own names, of which Parley reads these. */
export const telemetryVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(
    httpUrl.optional(),
    'Collector that receives traces and logs by OTLP over HTTP in JSON: `http://localhost:4318`. Off by default.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: variable(
    z
      .string()
      .regex(
        /^\s*[\w-]+=[\x21-\x2b\x2d-\x7e]+(,\s*[\w-]+=[\x21-\x2b\x2d-\x7e]+)*\s*$/,
        'must be pairs like api-key=value',
      )
      .optional(),
    'Headers for the collector: comma-separated `name=value` pairs. A space or comma in a value is `%20` or `%2C`.',
    { secret: true },
  ),
  OTEL_SERVICE_NAME: variable(text, 'Name of this service in traces and logs.', {
    fallback: 'parley',
  }),
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: variable(
    flag,
    'Whether traces contain what people and models write.',
    { fallback: 'false' },
  ),
} as const
