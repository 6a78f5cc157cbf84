import { useOperation, useOperationList } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { draftedAgent, useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Field } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { readCompared, writeCompared, type Compared } from './comparison.ts'

export interface ComparedFieldProps {
  readonly label: string
  readonly value: Compared
  onChange(next: Compared): void
}

/** Chooses what answers on one side. Only editors may choose a model. */
export function ComparedField({ label, value, onChange }: ComparedFieldProps) {
  const agent = useAgent()
  const mayChoose = useMay('editor')
  const versions = useOperationList('list_app_versions', { app_id: agent.id, limit: 50 })
  const { workspace_id } = agent
  const models = useOperation('list_models', { workspace_id, limit: 100 }, { enabled: mayChoose })
  const { model: own } = draftedAgent(agent)
  const earlier = versions.items.filter(({ version }) => version !== agent.version)
  const others = models.data?.items.filter(({ id }) => id !== own) ?? []
  const sides: Compared[] = [
    { kind: 'draft' },
    { kind: 'published' },
    ...earlier.map(({ version }) => ({ kind: 'version' as const, version })),
    ...others.map(({ id }) => ({ kind: 'model' as const, model: id })),
  ]
  const known = sides.map(writeCompared)
  const chosen = writeCompared(value)
  // The versions and models of a link are shown before the lists are loaded.
  const all = known.includes(chosen) ? sides : [...sides, value]
  return (
    <Field label={label}>
      <Select
        choices={all.map((side) => ({
          value: writeCompared(side),
          label: nameOfCompared(side, agent.version),
        }))}
        value={chosen}
        onChange={(next) => onChange(readCompared(next, value))}
        onEnd={versions.onEnd}
      />
    </Field>
  )
}

/** @param published the number of the version that callers get */
export function nameOfCompared(side: Compared, published: number): string {
  switch (side.kind) {
    case 'draft':
      return t('build.compare.draft')
    case 'published':
      return t('build.compare.published', { version: published })
    case 'version':
      return t('build.chat.version', { version: side.version })
    case 'model':
      return t('build.compare.model', { model: side.model })
  }
}
