import { useMay } from '#api/workspace.ts'
import { t } from '#texts/t.ts'
import { Notice } from '#ui/surfaces.tsx'
import { ChatPageCard } from './chat-page-card.tsx'
import { WidgetCard } from './widget-card.tsx'

/** /agents/{appId}/share/page */
export function PagePage() {
  return useMay('editor') ? <ChatPageCard part="page" /> : <OnlyEditors />
}

/** /agents/{appId}/share/look */
export function LookPage() {
  return useMay('editor') ? <ChatPageCard part="look" /> : <OnlyEditors />
}

/** /agents/{appId}/share/widget */
export function WidgetPage() {
  return useMay('editor') ? <WidgetCard /> : <OnlyEditors />
}

/** /agents/{appId}/share/visitors */
export function VisitorsPage() {
  return useMay('editor') ? <ChatPageCard part="visitors" /> : <OnlyEditors />
}

function OnlyEditors() {
  return <Notice>{t('share.onlyEditors')}</Notice>
}
