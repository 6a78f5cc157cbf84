import { useRef, useState } from 'react'
import type { InputOf, OutputOf } from '#api/call-operation.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { saveFile } from '#components/save-file.ts'
import { textOfFile } from '#components/text-of-file.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { notify } from '#ui/toast.tsx'

type Columns = NonNullable<InputOf<'import_products'>['columns']>
type Preview = OutputOf<'preview_product_import'>

/** A file of products, how its columns are mapped, and what an import of it would do. */
export function useImport(onDone: () => void) {
  const { id: app_id } = useAgent()
  const [csv, setCsv] = useState<string | null>(null)
  const [columns, setColumns] = useState<Columns>({})
  const [isUnreadable, setIsUnreadable] = useState(false)
  // Kept while another one arrives, so that the fields of the columns stay.
  const [found, setFound] = useState<Preview | null>(null)
  const chosen = useRef<File | undefined>(undefined)
  const preview = useOperationMutation('preview_product_import')
  const load = useOperationMutation('import_products', {
    refreshes: ['list_products'],
    onSuccess({ created, updated, rejected, rejected_csv: rejectedCsv }) {
      notify({ title: t('publish.import.done', { created, updated }) })
      if (rejectedCsv === null) return onDone()
      saveFile('rejected-products.csv', rejectedCsv, 'text/csv')
      notify({ title: t('publish.import.rejected', { count: rejected }) })
      onDone()
    },
  })
  /** Only the answer to the latest request is shown: the callback of an earlier one is not called. */
  function look(
    input: InputOf<'preview_product_import'>,
    onRead: (read: Preview) => void = () => undefined,
  ): void {
    const onSuccess = (read: Preview) => {
      setFound(read)
      onRead(read)
    }
    preview.mutate(input, { onSuccess })
  }
  return {
    columns,
    found,
    isUnreadable,
    isBusy: load.isPending || preview.isPending,
    error: preview.error ?? load.error,
    async choose(file: File | undefined): Promise<void> {
      chosen.current = file
      load.reset()
      preview.reset()
      setFound(null)
      setCsv(null)
      // text() removes the byte order mark that Excel writes.
      const text = file === undefined ? null : await textOfFile(file)
      // Another file was chosen while this one was read.
      if (chosen.current !== file) return
      setIsUnreadable(file !== undefined && text === null)
      setCsv(text)
      if (text !== null) look({ app_id, csv: text }, (read) => setColumns(guessed(read)))
    },
    map(next: Columns): void {
      setColumns(next)
      if (csv !== null) look({ app_id, csv, columns: next })
    },
    submit(): void {
      if (csv !== null) load.mutate({ app_id, csv, columns, partial: true })
    },
  }
}

function guessed({ columns }: Preview): Columns {
  return Object.fromEntries(
    columns.flatMap(({ header, field }) => (field === null ? [] : [[header, field]])),
  )
}
