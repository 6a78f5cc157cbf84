import { MessageSquare } from '#ui/icons.ts'
import { useMay } from '#api/workspace.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { useLeaveWarning } from '#components/use-leave-warning.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { AgentForm } from './settings/agent-form.tsx'
import { chatMessageId } from './test-chat/chat-composer.tsx'
import { SettingsSummary } from './versions/settings-summary.tsx'
import { useReportEdited } from './settings/edited-settings.ts'
import { useAgentForm } from './settings/use-agent-form.ts'

/** /agents/{appId}/build */
export function BuildPage() {
  const agent = useAgent()
  const mayChange = useMay('editor')
  return (
    <>
      <PageHeading
        title={t('build.title')}
        hint={mayChange ? t('build.hint') : t('build.hintViewer')}
        actions={mayChange && <ToTestChat />}
        documentTitle={`${t('build.title')} · ${agent.name}`}
      />
      {mayChange ? <EditableSettings key={agent.id} /> : <SettingsSummary />}
    </>
  )
}

/** The link to the chat, on screens where it is below the form. */
function ToTestChat() {
  return (
    <Button className="xl:hidden" onClick={() => document.getElementById(chatMessageId)?.focus()}>
      <MessageSquare aria-hidden />
      {t('build.chat.jump')}
    </Button>
  )
}

function EditableSettings() {
  const form = useAgentForm()
  useLeaveWarning(form.isStuck, form.isChanged)
  useReportEdited({ hasUnsaved: form.isChanged, save: form.save })
  return <AgentForm form={form} />
}
