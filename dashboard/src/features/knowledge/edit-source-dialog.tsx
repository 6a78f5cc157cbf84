import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { InputOf } from '#api/call-operation.ts'
import { send } from '#api/send.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { ErrorNotice } from '#components/error-notice.tsx'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Field, Input, TextArea } from '#ui/field.tsx'
import { notify } from '#ui/toast.tsx'
import { linesOf } from './lines-of.ts'
import { RefreshField } from './refresh-field.tsx'
import type { RefreshEvery, Source } from './source-row.tsx'

export interface EditSourceDialogProps {
  readonly source: Source
  readonly open: boolean
  onOpenChange(open: boolean): void
}

/** Renames a source, and changes its text or which of its pages are read. */
export function EditSourceDialog({ source, open, onOpenChange }: EditSourceDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('knowledge.source.edit')}
      description={t('knowledge.source.editHint')}
      closeLabel={t('common.close')}
      wide
    >
      {source.kind === 'text' || source.kind === 'answer' ? (
        <WithText source={source} onDone={() => onOpenChange(false)} />
      ) : (
        <EditForm source={source} text={null} onDone={() => onOpenChange(false)} />
      )}
    </Dialog>
  )
}

interface FormProps {
  readonly source: Source
  onDone(): void
}

/** Loads the text as it was written. */
function WithText({ source, onDone }: FormProps) {
  const text = useQuery({
    queryKey: ['source text', source.id, source.updated_at],
    queryFn: async ({ signal }) => (await send(`/sources/${source.id}/file`, { signal })).text(),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (text.error !== null)
    return <ErrorState error={text.error} onRetry={() => void text.refetch()} />
  if (text.data === undefined) return <LoadingRows rows={3} />
  return <EditForm source={source} text={text.data} onDone={onDone} />
}

interface EditFormProps extends FormProps {
  /** Null for a source that is not a text. */
  readonly text: string | null
}

type Changes = Omit<InputOf<'update_knowledge_source'>, 'source_id' | 'workspace_id'>

function EditForm({ source, text, onDone }: EditFormProps) {
  const { crawl } = source
  const isSite = crawl !== null && (crawl.depth > 0 || source.kind === 'sitemap')
  const [title, setTitle] = useState(source.title)
  const [body, setBody] = useState(text ?? '')
  const [include, setInclude] = useState(crawl?.include.join('\n') ?? '')
  const [exclude, setExclude] = useState(crawl?.exclude.join('\n') ?? '')
  const [refresh, setRefresh] = useState<RefreshEvery>(source.refresh_every ?? 'never')
  const update = useOperationMutation('update_knowledge_source', {
    refreshes: ['get_knowledge_source', 'list_knowledge_sources'],
    onSuccess(changed) {
      notify({ title: t('knowledge.source.saved', { title: changed.title }) })
      onDone()
    },
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    const changes: Changes = {
      ...(title === source.title ? {} : { title }),
      ...(text === null || body === text ? {} : { text: body }),
      ...(isSite ? { include: linesOf(include), exclude: linesOf(exclude) } : {}),
      ...(crawl === null ? {} : { refresh_every: refresh }),
    }
    update.mutate({ source_id: source.id, ...changes })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-5">
      <Field label={t('knowledge.textForm.title')} hint={t('knowledge.textForm.titleHint')}>
        <Input
          required
          maxLength={500}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
      </Field>
      {text !== null && (
        <Field label={t('knowledge.textForm.text')}>
          <TextArea
            required
            rows={14}
            value={body}
            onChange={(event) => setBody(event.currentTarget.value)}
          />
        </Field>
      )}
      {isSite && (
        <>
          <Field
            label={t('knowledge.pagesForm.include')}
            hint={t('knowledge.pagesForm.includeHint')}
          >
            <TextArea
              rows={2}
              value={include}
              onChange={(event) => setInclude(event.currentTarget.value)}
            />
          </Field>
          <Field label={t('knowledge.pagesForm.exclude')}>
            <TextArea
              rows={2}
              value={exclude}
              onChange={(event) => setExclude(event.currentTarget.value)}
            />
          </Field>
        </>
      )}
      {crawl !== null && <RefreshField value={refresh} onChange={setRefresh} />}
      <ErrorNotice error={update.error} />
      <DialogActions>
        <Button onClick={onDone}>{t('common.cancel')}</Button>
        <Button look="primary" type="submit" busy={update.isPending}>
          {t('common.save')}
        </Button>
      </DialogActions>
    </form>
  )
}
