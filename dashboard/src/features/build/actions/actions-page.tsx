import { Link } from '@tanstack/react-router'
import { Import, Plus, Trash2, Wrench } from '#ui/icons.ts'
import { builtInProviders } from '#api/generated-providers.ts'
import { useOperation, useOperationList, useOperationMutation } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { EmptyState, ListStates } from '#components/states.tsx'
import { useUndoableDelete } from '#components/use-undoable-delete.ts'
import { useAgent } from '#features/agents/index.ts'
import { formatRelative } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Badge, Card, Notice } from '#ui/surfaces.tsx'
import type { Action } from './action-draft.ts'

/** /agents/{appId}/build/actions */
export function ActionsPage() {
  const agent = useAgent()
  const mayChange = useMay('editor')
  const list = useOperationList('list_custom_actions', { app_id: agent.id, limit: 100 })
  const remove = useOperationMutation('delete_custom_action', {
    refreshes: ['list_custom_actions'],
  })
  const { hidden, remove: removeLater } = useUndoableDelete((id) =>
    remove.mutateAsync({ action_id: id }),
  )
  const shown = list.items.filter(({ id }) => !hidden.has(id))
  const buttons = mayChange ? <Buttons /> : undefined
  return (
    <>
      <PageHeading
        title={t('build.actions.title')}
        hint={t('build.actions.hint')}
        documentTitle={`${t('build.actions.title')} · ${agent.name}`}
        actions={shown.length > 0 ? buttons : undefined}
      />
      {shown.length > 0 && <ModelNotice />}
      <ListStates
        list={list}
        isEmpty={shown.length === 0}
        empty={
          <EmptyState
            icon={Wrench}
            title={mayChange ? t('build.actions.empty') : t('build.actions.emptyViewer')}
            hint={mayChange ? t('build.actions.emptyHint') : t('build.actions.emptyViewerHint')}
            action={buttons}
          />
        }
      >
        <Card className="py-1 sm:py-1">
          <ul aria-label={t('build.actions.list')} className="divide-y divide-line">
            {shown.map((action) => (
              <ActionRow
                key={action.id}
                action={action}
                onRemove={
                  mayChange
                    ? () =>
                        removeLater(
                          action.id,
                          t('build.actions.removed', { name: titleOf(action) }),
                        )
                    : undefined
                }
              />
            ))}
          </ul>
        </Card>
      </ListStates>
    </>
  )
}

function titleOf({ title, name }: Pick<Action, 'title' | 'name'>): string {
  return title === '' ? name : title
}

function Buttons() {
  const params = { appId: useAgent().app_name_id }
  return (
    <div className="flex flex-wrap justify-center gap-2">
      <Button render={<Link to="/agents/$appId/build/actions/import" params={params} />}>
        <Import aria-hidden />
        {t('build.actions.import')}
      </Button>
      <Button
        look="primary"
        render={<Link to="/agents/$appId/build/actions/new" params={params} />}
      >
        <Plus aria-hidden />
        {t('build.actions.add')}
      </Button>
    </div>
  )
}

/** Warns if the agent's model calls no actions, or if it is unknown whether it can. */
function ModelNotice() {
  const { workspace_id, model } = useAgent()
  const models = useOperation('list_models', { workspace_id, limit: 100 })
  const found = models.data?.items.find(({ id }) => id === model)
  if (found === undefined || found.tools) return null
  return (
    <div className="mb-4">
      <Notice tone="warn">
        {builtInProviders.get(found.provider)?.isInside === true
          ? t('build.actions.quotingModel')
          : t('build.actions.noTools', { model })}
      </Notice>
    </div>
  )
}

interface ActionRowProps {
  readonly action: Action
  readonly onRemove: (() => void) | undefined
}

function ActionRow({ action, onRemove }: ActionRowProps) {
  const params = { appId: useAgent().app_name_id, actionId: action.id }
  const title = titleOf(action)
  return (
    <li className="flex items-center gap-3 py-3.5">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            to="/agents/$appId/build/actions/$actionId"
            params={params}
            className="min-w-0 rounded font-medium break-words hover:underline"
          >
            {title}
          </Link>
          {!action.enabled && <Badge>{t('build.actions.off')}</Badge>}
          {action.requires_confirmation && <Badge tone="warn">{t('build.actions.asks')}</Badge>}
        </p>
        <p className="mt-0.5 line-clamp-2 text-sm text-soft">{action.description}</p>
        <p className="mt-1 flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
          <span className="font-mono break-all">{`${action.method} ${action.url}`}</span>
          <span>{lastTest(action)}</span>
        </p>
      </div>
      {onRemove !== undefined && (
        <Button
          look="quiet"
          size="icon"
          onClick={onRemove}
          aria-label={t('build.actions.remove', { name: title })}
        >
          <Trash2 aria-hidden />
        </Button>
      )}
    </li>
  )
}

function lastTest({ last_test: test }: Action): string {
  if (test === null || typeof test.at !== 'string') return t('build.actions.untested')
  const when = formatRelative(test.at)
  return test.ok === true
    ? t('build.actions.testedOk', { when })
    : t('build.actions.testedBad', { when })
}
