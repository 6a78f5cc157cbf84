import { Link } from '@tanstack/react-router'
import { MessagesSquare } from '#ui/icons.ts'
import { useMay } from '#api/workspace.ts'
import { EmptyState } from '#components/states.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'

/** For a period without conversations: the two ways to start one. */
export function NoConversations() {
  const params = { appId: useAgent().app_name_id }
  const isEditor = useMay('editor')
  return (
    <EmptyState
      icon={MessagesSquare}
      title={t('analytics.empty')}
      {...(isEditor
        ? {
            hint: t('analytics.emptyHint'),
            action: (
              <div className="flex flex-wrap justify-center gap-2">
                <Button render={<Link to="/agents/$appId/share" params={params} />}>
                  {t('analytics.emptyShare')}
                </Button>
                <Button look="primary" render={<Link to="/agents/$appId/build" params={params} />}>
                  {t('analytics.emptyTalk')}
                </Button>
              </div>
            ),
          }
        : { hint: t('analytics.emptyViewerHint') })}
    />
  )
}
