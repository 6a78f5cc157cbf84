import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { FileText, Globe } from '#ui/icons.ts'
import { useMay } from '#api/workspace.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { useLeaveWarning } from '#components/use-leave-warning.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { DropZone } from './drop-zone.tsx'
import type { KnowledgeSearch } from './knowledge-search.ts'
import { SearchCard } from './search-card.tsx'
import { SourcesCard } from './sources-card.tsx'
import { UnansweredCard } from './unanswered-card.tsx'
import { UploadList } from './upload-list.tsx'
import { useUploads } from './use-uploads.ts'

/** Loaded when the first of them is opened. */
const AddDialogs = lazy(async () => ({
  default: (await import('./add-dialogs.tsx')).AddDialogs,
}))

/** /agents/{appId}/knowledge */
export function KnowledgePage() {
  const agent = useAgent()
  const isEditor = useMay('editor')
  const navigate = useNavigate()
  const { add, answer, q } = useSearch({ from: '/agents/$appId/knowledge' })
  const [wasOpened, setWasOpened] = useState(false)
  const isAdding = isEditor && (add !== undefined || answer !== undefined)
  if (isAdding && !wasOpened) setWasOpened(true)
  const show = (opened: KnowledgeSearch) =>
    void navigate({
      to: '/agents/$appId/knowledge',
      params: { appId: agent.app_name_id },
      search: { ...(q === undefined ? {} : { q }), ...opened },
    })
  const openForm = (form: KnowledgeSearch['add']) => show(form === undefined ? {} : { add: form })
  return (
    <>
      <PageHeading
        title={t('knowledge.title')}
        documentTitle={`${t('knowledge.title')} · ${agent.name}`}
        hint={t('knowledge.hint')}
        actions={isEditor ? <AddButtons onAdd={openForm} /> : undefined}
      />
      <div className="flex flex-col gap-6">
        {isEditor && <Uploads />}
        <SourcesCard />
        <UnansweredCard onAnswer={(question) => show({ answer: question })} />
        <SearchCard />
      </div>
      {wasOpened && (
        <Suspense>
          <AddDialogs add={add} answer={answer} onShow={openForm} />
        </Suspense>
      )}
    </>
  )
}

function AddButtons({ onAdd }: { readonly onAdd: (form: 'text' | 'pages') => void }) {
  return (
    <>
      <Button onClick={() => onAdd('text')}>
        <FileText aria-hidden />
        {t('knowledge.add.text')}
      </Button>
      <Button onClick={() => onAdd('pages')}>
        <Globe aria-hidden />
        {t('knowledge.add.pages')}
      </Button>
    </>
  )
}

function Uploads() {
  const agent = useAgent()
  const { uploads, add, remove, retry } = useUploads(agent.id)
  useLeaveWarning(uploads.some(({ error }) => error === null))
  return (
    <section>
      <DropZone onFiles={add} />
      <UploadList uploads={uploads} onRemove={remove} onRetry={retry} />
    </section>
  )
}
