import { useNavigate, useSearch } from '@tanstack/react-router'
import { Braces, Plus, Trash2 } from '#ui/icons.ts'
import { useOperationList, useOperationMutation } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { EmptyState, ListStates } from '#components/states.tsx'
import { useUndoableDelete } from '#components/use-undoable-delete.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Badge, Card } from '#ui/surfaces.tsx'
import { anyHost } from './use-variable-form.ts'
import { VariableDialog } from './variable-dialog.tsx'
import { variableKey, variableOf, type Variable } from './variable-key.ts'

/** /agents/{appId}/build/variables */
export function VariablesPage() {
  const agent = useAgent()
  const mayChange = useMay('editor')
  const navigate = useNavigate()
  const { edit } = useSearch({ from: '/agents/$appId/build/variables' })
  const list = useOperationList('list_app_variables', { app_id: agent.id, limit: 100 })
  const remove = useOperationMutation('delete_app_variable', { refreshes: ['list_app_variables'] })
  const { hidden, remove: removeLater } = useUndoableDelete((key) =>
    remove.mutateAsync(variableOf(key)),
  )
  const shown = list.items.filter(({ name }) => !hidden.has(variableKey(agent.id, name)))
  const open = (name: string | null) =>
    void navigate({
      to: '/agents/$appId/build/variables',
      params: { appId: agent.app_name_id },
      search: name === null ? {} : { edit: name },
    })
  const add = mayChange ? (
    <Button look="primary" onClick={() => open('new')}>
      <Plus aria-hidden />
      {t('build.variables.add')}
    </Button>
  ) : undefined
  return (
    <>
      <PageHeading
        title={t('build.variables.title')}
        hint={t('build.variables.hint', { example: '{{var.NAME}}' })}
        documentTitle={`${t('build.variables.title')} · ${agent.name}`}
        actions={shown.length > 0 ? add : undefined}
      />
      <ListStates
        list={list}
        isEmpty={shown.length === 0}
        empty={
          <EmptyState
            icon={Braces}
            title={t('build.variables.empty')}
            hint={mayChange ? t('build.variables.emptyHint') : t('build.variables.emptyViewerHint')}
            action={add}
          />
        }
      >
        <Card className="py-1 sm:py-1">
          <ul aria-label={t('build.variables.list')} className="divide-y divide-line">
            {shown.map((variable) => (
              <VariableRow
                key={variable.name}
                variable={variable}
                mayChange={mayChange}
                onEdit={() => open(variable.name)}
                onRemove={() =>
                  removeLater(
                    variableKey(agent.id, variable.name),
                    t('build.variables.removed', { name: variable.name }),
                  )
                }
              />
            ))}
          </ul>
        </Card>
      </ListStates>
      {mayChange && edit !== undefined && !list.isPending && (
        <VariableDialog
          key={edit}
          name={edit === 'new' ? '' : edit}
          variable={list.items.find(({ name }) => name === edit) ?? null}
          onClose={() => open(null)}
        />
      )}
    </>
  )
}

interface VariableRowProps {
  readonly variable: Variable
  readonly mayChange: boolean
  onEdit(): void
  onRemove(): void
}

function VariableRow({ variable, mayChange, onEdit, onRemove }: VariableRowProps) {
  const { name, type, value, description, hosts } = variable
  const isForAny = hosts?.includes(anyHost) === true
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3.5">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-mono text-sm font-medium break-all">{name}</span>
          <Badge tone={type === 'secret' ? 'accent' : 'neutral'}>
            {t(`build.variables.types.${type}`)}
          </Badge>
          {isForAny && <Badge tone="warn">{t('build.variables.toAny')}</Badge>}
          {hosts?.length === 0 && <Badge tone="warn">{t('build.variables.toNone')}</Badge>}
        </p>
        {description !== '' && <p className="mt-0.5 text-sm break-words">{description}</p>}
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
          <span className="break-all">
            {type === 'secret' ? t('build.variables.sealed') : String(value)}
          </span>
          {hosts !== null && hosts.length > 0 && !isForAny && (
            <span className="break-all">
              {t('build.variables.onlyTo', { hosts: hosts.join(', ') })}
            </span>
          )}
        </p>
      </div>
      {mayChange && (
        <div className="flex gap-1">
          <Button
            size="small"
            onClick={onEdit}
            aria-label={t('build.variables.editLabel', { name })}
          >
            {t('build.variables.edit')}
          </Button>
          <Button
            look="quiet"
            size="icon"
            onClick={onRemove}
            aria-label={t('build.variables.remove', { name })}
          >
            <Trash2 aria-hidden />
          </Button>
        </div>
      )}
    </li>
  )
}
