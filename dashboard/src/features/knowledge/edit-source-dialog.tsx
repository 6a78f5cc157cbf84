import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { InputOf } from '#api/call-operation.ts'
import { send } from '#api/send.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { ErrorNotice } from '#components/error-notice.tsx'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { useDraft } from '#components/use-draft.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Field, Input, TextArea } from '#ui/field.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { linesOf } from './lines-of.ts'
import { PatternFields } from './pattern-fields.tsx'
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

/** What the form holds; a draft of it survives Escape and a reload. */
interface Edited {
  readonly title: string
  readonly body: string
  readonly include: string
  readonly exclude: string
  readonly refresh: RefreshEvery
}

type Changes = Omit<InputOf<'update_knowledge_source'>, 'source_id' | 'workspace_id'>

function EditForm({ source, text, onDone }: EditFormProps) {
  const { crawl } = source
  const isSite = crawl !== null && (crawl.depth > 0 || source.kind === 'sitemap')
  const { value, change, forget, isChanged } = useDraft<Edited>(`knowledge-edit ${source.id}`, {
    title: source.title,
    body: text ?? '',
    include: crawl?.include.join('\n') ?? '',
    exclude: crawl?.exclude.join('\n') ?? '',
    refresh: source.refresh_every ?? 'never',
  })
  const [wasKept] = useState(isChanged)
  const close = () => {
    // Until the form has faded out, it shows what was typed.
    forget()
    onDone()
  }
  const update = useOperationMutation('update_knowledge_source', {
    refreshes: ['get_knowledge_source', 'list_knowledge_sources'],
    onSuccess(changed) {
      notify({ title: t('knowledge.source.saved', { title: changed.title }) })
      close()
    },
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    const changes: Changes = {
      ...(value.title === source.title ? {} : { title: value.title }),
      ...(text === null || value.body === text ? {} : { text: value.body }),
      ...(isSite ? { include: linesOf(value.include), exclude: linesOf(value.exclude) } : {}),
      ...(crawl === null ? {} : { refresh_every: value.refresh }),
    }
    update.mutate({ source_id: source.id, ...changes })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-5">
      {wasKept && <Notice tone="warn">{t('knowledge.source.kept')}</Notice>}
      <Field label={t('knowledge.textForm.title')} hint={t('knowledge.textForm.titleHint')}>
        <Input
          required
          maxLength={500}
          value={value.title}
          onChange={(event) => change({ title: event.currentTarget.value })}
        />
      </Field>
      {text !== null && (
        <Field label={t('knowledge.textForm.text')}>
          <TextArea
            required
            rows={14}
            value={value.body}
            onChange={(event) => change({ body: event.currentTarget.value })}
          />
        </Field>
      )}
      {isSite && <PatternFields value={value} change={change} />}
      {crawl !== null && (
        <RefreshField value={value.refresh} onChange={(refresh) => change({ refresh })} />
      )}
      <ErrorNotice error={update.error} />
      <DialogActions>
        <Button onClick={close}>{t('common.cancel')}</Button>
        <Button look="primary" type="submit" busy={update.isPending}>
          {t('common.save')}
        </Button>
      </DialogActions>
    </form>
  )
}
