import { AddPagesDialog } from './add-pages-dialog.tsx'
import { AddTextDialog } from './add-text-dialog.tsx'
import type { KnowledgeSearch } from './knowledge-search.ts'

export interface AddDialogsProps {
  readonly add: KnowledgeSearch['add'] | undefined
  readonly answer: string | undefined
  onShow(form: KnowledgeSearch['add']): void
}

/** The forms that add a text, an answer or pages. */
export function AddDialogs({ add, answer, onShow }: AddDialogsProps) {
  return (
    <>
      <AddTextDialog
        open={add === 'text' || answer !== undefined}
        question={answer}
        onOpenChange={(open) => onShow(open ? 'text' : undefined)}
      />
      <AddPagesDialog
        open={add === 'pages'}
        onOpenChange={(open) => onShow(open ? 'pages' : undefined)}
      />
    </>
  )
}
