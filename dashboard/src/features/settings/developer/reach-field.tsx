import type { ReactNode } from 'react'
import { useMe } from '#api/me.ts'
import { useOperationList } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Checkbox } from '#ui/checkbox.tsx'
import { RadioGroup } from '#ui/radio-group.tsx'

/** What a new key is bound to, as the form holds it. */
export interface ReachDraft {
  readonly isBound: boolean
  readonly workspaces: readonly string[]
  readonly agents: readonly string[]
}

export const everywhere: ReachDraft = { isBound: false, workspaces: [], agents: [] }

export function isComplete({ isBound, workspaces, agents }: ReachDraft): boolean {
  return !isBound || workspaces.length + agents.length > 0
}

/** The fields of create_developer_key. */
export function pickedOf({ isBound, workspaces, agents }: ReachDraft) {
  return {
    ...(isBound && workspaces.length > 0 ? { workspaces: [...workspaces] } : {}),
    ...(isBound && agents.length > 0 ? { agents: [...agents] } : {}),
  }
}

export interface ReachFieldProps {
  readonly value: ReachDraft
  onChange(value: ReachDraft): void
}

/** Everywhere, or selected workspaces and agents. */
export function ReachField({ value, onChange }: ReachFieldProps) {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 text-sm font-medium">{t('settings.reach.label')}</legend>
      <RadioGroup
        label={t('settings.reach.label')}
        value={value.isBound ? 'some' : 'all'}
        choices={[
          {
            value: 'all',
            label: t('settings.reach.all'),
            hint: t('settings.reach.allHint'),
          },
          { value: 'some', label: t('settings.reach.some') },
        ]}
        onChange={(choice) => onChange({ ...value, isBound: choice === 'some' })}
      />
      {value.isBound && <Places value={value} onChange={onChange} />}
    </fieldset>
  )
}

function Places({ value, onChange }: ReachFieldProps) {
  const { workspaces } = useMe()
  const current = useWorkspace()
  const agents = useOperationList('list_apps', { workspace_id: current.id, limit: 50 })
  const hasWhole = value.workspaces.includes(current.id)
  return (
    <div className="flex flex-col gap-4 pl-7">
      <Group title={t('settings.reach.workspaces')}>
        {workspaces.map(({ id, name }) => (
          <Checkbox
            key={id}
            checked={value.workspaces.includes(id)}
            onChange={() => onChange({ ...value, workspaces: toggled(value.workspaces, id) })}
            label={name}
          />
        ))}
      </Group>
      {agents.items.length > 0 && (
        <Group title={t('settings.reach.agents', { workspace: current.name })}>
          {agents.items.map(({ id, name }) => (
            <Checkbox
              key={id}
              checked={hasWhole || value.agents.includes(id)}
              disabled={hasWhole}
              onChange={() => onChange({ ...value, agents: toggled(value.agents, id) })}
              label={name}
            />
          ))}
          {agents.hasMore && (
            <Button size="small" busy={agents.isLoadingMore} onClick={agents.more}>
              {t('common.more')}
            </Button>
          )}
        </Group>
      )}
      {!isComplete(value) && (
        <p className="text-[0.8125rem] text-soft">{t('settings.reach.none')}</p>
      )}
    </div>
  )
}

function Group(props: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div role="group" aria-label={props.title} className="flex flex-col gap-2">
      <p className="text-[0.8125rem] text-soft">{props.title}</p>
      <div className="grid max-h-48 gap-2.5 overflow-y-auto p-0.5 sm:grid-cols-2">
        {props.children}
      </div>
    </div>
  )
}

function toggled(ids: readonly string[], id: string): readonly string[] {
  return ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id]
}
