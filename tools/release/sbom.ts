import { z } from 'zod'

const component = z.looseObject({
  'bom-ref': z.string(),
  name: z.string(),
  properties: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
})
const form = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.looseObject({ component }),
  components: z.array(component),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
})
export type Sbom = z.infer<typeof form>

/**
 * The SBOM of `npm sbom` without the packages that only development needs. `npm sbom --omit dev` also
 * leaves out packages of the service, such as hono: it drops whatever a workspace shares with one.
 */
export function withoutDevelopment(written: unknown): Sbom {
  const sbom = form.parse(written)
  const isKept = ({ properties = [] }: z.infer<typeof component>) =>
    !properties.some(({ name }) => name === 'cdx:npm:package:development')
  const components = sbom.components.filter(isKept)
  const { component: own } = sbom.metadata
  const refs = new Set([own, ...components].map((one) => one['bom-ref']))
  const dependencies = sbom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => refs.has(ref)) }))
  // npm names it after the folder.
  const metadata = { ...sbom.metadata, component: { ...own, name: 'parley' } }
  return { ...sbom, metadata, components, dependencies }
}
