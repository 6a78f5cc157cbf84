import type { FormEvent } from 'react'
import type { InputOf } from '#api/call-operation.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { ErrorText } from '#components/error-text.tsx'
import { useDraft } from '#components/use-draft.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import type { AddDialogProps } from './add-text-dialog.tsx'
import { linesOf } from './lines-of.ts'
import { PatternFields } from './pattern-fields.tsx'
import { RefreshField } from './refresh-field.tsx'
import type { RefreshEvery } from './source-row.tsx'

const kinds = ['page', 'crawl', 'sitemap'] as const

type Pages = {
  readonly kind: (typeof kinds)[number]
  readonly url: string
  readonly depth: string
  readonly maxPages: string
  readonly include: string
  readonly exclude: string
  readonly refresh: RefreshEvery
}

const blank: Pages = {
  kind: 'page',
  url: '',
  depth: '1',
  maxPages: '200',
  include: '',
  exclude: '',
  refresh: 'never',
}

export function AddPagesDialog({ open, onOpenChange }: AddDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('knowledge.add.pages')}
      description={t('knowledge.pagesForm.hint')}
      closeLabel={t('common.close')}
    >
      <PagesForm onDone={() => onOpenChange(false)} />
    </Dialog>
  )
}

function PagesForm({ onDone }: { readonly onDone: () => void }) {
  const agent = useAgent()
  const { value, change, clear } = useDraft(`knowledge-pages ${agent.id}`, blank)
  const add = useOperationMutation('add_knowledge_source', {
    refreshes: ['list_knowledge_sources'],
    onSuccess() {
      clear()
      notify({ title: t('knowledge.pagesForm.added', { url: value.url }) })
      onDone()
    },
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    add.mutate({ app_id: agent.id, ...inputOf(value) })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-5">
      <Field label={t('knowledge.pagesForm.kind')}>
        <Select
          choices={kinds.map((kind) => ({
            value: kind,
            label: t(`knowledge.pagesForm.kinds.${kind}`),
          }))}
          value={value.kind}
          onChange={(kind) => change({ kind })}
        />
      </Field>
      <Field label={t('knowledge.pagesForm.url')} error={add.error?.issueOf('url')}>
        <Input
          required
          type="url"
          placeholder={t('knowledge.pagesForm.urlPlaceholder')}
          value={value.url}
          onChange={(event) => change({ url: event.currentTarget.value })}
        />
      </Field>
      {value.kind !== 'page' && <Bounds value={value} change={change} />}
      <RefreshField value={value.refresh} onChange={(refresh) => change({ refresh })} />
      {add.error !== null && add.error.issueOf('url') === undefined && (
        <Notice tone="bad">
          <ErrorText error={add.error} />
        </Notice>
      )}
      <DialogActions>
        <Button onClick={onDone}>{t('common.cancel')}</Button>
        <Button look="primary" type="submit" busy={add.isPending}>
          {t('knowledge.pagesForm.submit')}
        </Button>
      </DialogActions>
    </form>
  )
}

interface BoundsProps {
  readonly value: Pages
  change(part: Partial<Pages>): void
}

/** The limits of a crawl. */
function Bounds({ value, change }: BoundsProps) {
  return (
    <>
      <div className="grid gap-5 sm:grid-cols-2">
        {value.kind === 'crawl' && (
          <Field label={t('knowledge.pagesForm.depth')} hint={t('knowledge.pagesForm.depthHint')}>
            <Input
              required
              type="number"
              min={1}
              max={10}
              value={value.depth}
              onChange={(event) => change({ depth: event.currentTarget.value })}
            />
          </Field>
        )}
        <Field label={t('knowledge.pagesForm.maxPages')}>
          <Input
            required
            type="number"
            min={1}
            max={5000}
            value={value.maxPages}
            onChange={(event) => change({ maxPages: event.currentTarget.value })}
          />
        </Field>
      </div>
      <PatternFields value={value} change={change} />
    </>
  )
}

function inputOf(pages: Pages): Omit<InputOf<'add_knowledge_source'>, 'app_id'> {
  const { kind, url, refresh } = pages
  const bounds = {
    max_pages: Number(pages.maxPages),
    include: linesOf(pages.include),
    exclude: linesOf(pages.exclude),
  }
  return {
    kind: kind === 'sitemap' ? 'sitemap' : 'url',
    url,
    ...(refresh === 'never' ? {} : { refresh_every: refresh }),
    ...(kind === 'page' ? {} : bounds),
    ...(kind === 'crawl' ? { crawl_depth: Number(pages.depth) } : {}),
  }
}
