import addFormats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Env, Hono } from 'hono'
import { expect } from 'vitest'
import type { Json } from '#surfaces/http/open-api.ts'

/** A generated OpenAPI document, with the parts that tests compare responses and routes with. */
export function contractOf(document: Json) {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>()
  const validatorOf = (place: string) => {
    const validate = compiled.get(place) ?? ajv.compile({ $ref: `contract#${place}` })
    compiled.set(place, validate)
    return validate
  }
  addFormats.default(ajv)
  ajv.addSchema(document, 'contract')
  // `openApiDocument` writes these fields into every document.
  const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>

  function operationOf(method: string, path: string): Operation {
    const found = paths[path]?.[method.toLowerCase()]
    if (found === undefined) throw new Error(`the contract has no ${method} ${path}`)
    return found
  }

  /** The JSON pointer to the schema of a response, or null if the response has no JSON body. */
  function schemaOf(method: string, path: string, status: number): string | null {
    const { responses } = operationOf(method, path)
    const documented = responses[String(status)]
    if (documented === undefined)
      throw new Error(`the contract has no ${status} of ${method} ${path}`)
    const name = /[^/]+$/.exec(documented.$ref ?? '')?.[0]
    if (name !== undefined) return `/components/responses/${name}/content/application~1json/schema`
    if (documented.content?.['application/json'] === undefined) return null
    const place = path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B')
    const escaped = place.replaceAll('}', '%7D')
    return `/paths/${escaped}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`
  }

  return {
    /** `GET /models/{id}`, sorted. */
    endpoints: Object.entries(paths)
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      )
      .toSorted(),
    /** Every error status in the document. */
    refusals: Object.keys((document.components as { responses: object }).responses).map((name) =>
      Number(name.replace(/\D/g, '')),
    ),
    /** Checks that the contract describes the status and the body of a response. */
    async expectDocumented(method: string, path: string, answer: Response | Promise<Response>) {
      const response = await answer
      const place = schemaOf(method, path, response.status)
      const isJson = response.headers.get('content-type')?.startsWith('application/json')
      if (place === null || !isJson) return response
      const validate = validatorOf(place)
      const body: unknown = await response.clone().json()
      expect(validate(body) ? [] : validate.errors, `${method} ${path}`).toEqual([])
      return response
    },
    takes(method: string, path: string, body: unknown): boolean {
      const escaped = path.replaceAll('/', '~1')
      const place = `/paths/${escaped}/${method.toLowerCase()}/requestBody/content/application~1json/schema`
      return ajv.compile({ $ref: `contract#${place}` })(body)
    },
  }
}

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: Readonly<Record<string, unknown>> }>
  >
}

/** The endpoints that an app has routes for, in the form that a contract uses. */
export function routesOf<E extends Env>(app: Hono<E>, mount = ''): string[] {
  const handled = app.routes.filter(({ method }) => method !== 'ALL')
  const written = handled.map(({ method, path }) => {
    const whole = `${mount}${path}`.replace(/(.)\/$/, '$1')
    return `${method} ${whole.replace(/:(\w+)/g, '{$1}')}`
  })
  return [...new Set(written)].toSorted()
}
