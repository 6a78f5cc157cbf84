/** A list of many equal values. */
export function listOf(value: string, bytes: number): string {
  return `[${Array.from({ length: Math.floor(bytes / (value.length + 1)) }, () => value).join()}]`
}

/** Many keys with equal values. */
export function objectOf(count: number, value: unknown): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, value]))
}

/** OpenAPI documents that would take long if their parts were not bounded. */
export function openApiDocuments(): Record<string, string> {
  const servers = [{ url: 'https://a.example' }]
  const written = (parts: object) => JSON.stringify({ openapi: '3.0.3', servers, ...parts })
  const post = ($ref: string) => ({
    post: { requestBody: { content: { 'application/json': { schema: { $ref } } } } },
  })
  const operations = (count: number, item: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`/a${n}`, item]))
  const one = '#/components/schemas/One'
  const withOne = (One: unknown) =>
    written({ paths: operations(60, post(one)), components: { schemas: { One } } })
  const fields = (schema: unknown, count = 60) => ({
    type: 'object',
    properties: objectOf(count, schema),
  })
  return {
    'endless references': withOne(fields({ $ref: one })),
    'a long reference': written({
      paths: operations(3, post(one)),
      components: {
        schemas: { One: fields({ $ref: '#/components/long' }, 10) },
        long: { $ref: `#/${'a/'.repeat(800_000)}` },
      },
    }),
    'many operations': written({ paths: operations(40_000, { get: {} }) }),
    'many fields': withOne(fields({}, 60_000)),
    'many slashes': written({
      servers: [{ url: `https://a.example/${'/'.repeat(500_000)}x` }],
      paths: { '/a': { get: {} } },
    }),
    'many parts of a path': written({
      paths: { [Array.from({ length: 100_000 }, (_, n) => `/{a${n}}`).join('')]: { get: {} } },
    }),
    'YAML of many values': `openapi: 3.0.3\nx:\n${'- {}\n'.repeat(100_000)}`,
    'YAML of aliases': `openapi: 3.0.3\na: &a [${'{},'.repeat(30_000)}0]\nx:\n${'- *a\n'.repeat(90)}`,
  }
}
