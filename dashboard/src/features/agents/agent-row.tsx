import { Link } from '@tanstack/react-router'
import type { ItemOf } from '#api/call-operation.ts'
import { Time } from '#components/time.tsx'
import { t } from '#texts/t.ts'
import { Checkbox } from '#ui/checkbox.tsx'
import { classNames } from '#ui/class-names.ts'
import { ChevronRight, Folder } from '#ui/icons.ts'

const rowStyle =
  'group flex items-center gap-4 rounded-2xl border border-line bg-card px-5 py-4 transition-colors hover:border-field-line'

export interface AgentRowProps {
  readonly agent: ItemOf<'list_apps'>
  /** Shown for the results of a search, which can be in any folder. */
  readonly withFolder: boolean
  /** Null outside of selecting: the row is a link then. */
  readonly isSelected: boolean | null
  onSelect(selected: boolean): void
}

export function AgentRow({ agent, withFolder, isSelected, onSelect }: AgentRowProps) {
  if (isSelected !== null)
    return (
      <div className="pb-3">
        <div className={classNames(rowStyle, isSelected && 'border-accent')}>
          <Checkbox
            checked={isSelected}
            onChange={onSelect}
            label={<span className="font-medium">{agent.name}</span>}
            hint={agent.app_name_id}
          />
        </div>
      </div>
    )
  return (
    <div className="pb-3">
      <Link to="/agents/$appId" params={{ appId: agent.app_name_id }} className={rowStyle}>
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium">{agent.name}</span>
          <span className="block truncate text-sm text-soft">
            {agent.description === '' ? t('agents.noDescription') : agent.description}
          </span>
          {withFolder && agent.folder !== '' && (
            <span className="flex items-center gap-1.5 truncate text-[0.8125rem] text-soft">
              <Folder className="size-3.5" aria-hidden />
              <span className="sr-only">{t('agents.folders.in')}</span>
              {agent.folder}
            </span>
          )}
        </span>
        <span className="hidden shrink-0 text-right text-[0.8125rem] text-soft sm:block">
          <span className="block font-mono">{agent.app_name_id}</span>
          <Time value={agent.updated_at} relative />
        </span>
        <ChevronRight className="size-4 shrink-0 text-soft group-hover:text-ink" aria-hidden />
      </Link>
    </div>
  )
}

/** Folders of the workspace, each a link to its agents. */
export function FolderRows({ folders }: { readonly folders: readonly FolderCount[] }) {
  if (folders.length === 0) return null
  return (
    <ul
      aria-label={t('agents.folders.all')}
      className="mb-3 grid gap-3 sm:grid-cols-2 lg:grid-cols-3"
    >
      {folders.map(({ name, agents: count }) => (
        <li key={name}>
          <Link
            to="/agents"
            search={{ folder: name }}
            className={classNames(rowStyle, 'px-4 py-3')}
          >
            <Folder className="size-4.5 shrink-0 text-soft" aria-hidden />
            <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
            <span className="shrink-0 text-[0.8125rem] text-soft">
              {t('agents.count', { count })}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

interface FolderCount {
  readonly name: string
  readonly agents: number
}
