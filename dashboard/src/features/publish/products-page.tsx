import { useNavigate, useSearch } from '@tanstack/react-router'
import { FileUp, Package, Plus, Search } from '#ui/icons.ts'
import { useState, type FormEvent } from 'react'
import { useOperationList, useOperationMutation, type OperationList } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { EmptyState, ErrorState, LoadingRows } from '#components/states.tsx'
import { useUndoableDelete } from '#components/use-undoable-delete.ts'
import { VirtualList } from '#components/virtual-list.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Input } from '#ui/field.tsx'
import { Card } from '#ui/surfaces.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { ProductDialog } from './product-dialog.tsx'
import { ProductRow, type Product } from './product-row.tsx'
import type { ProductsSearch } from './publish-search.ts'
import { TestModeNotice } from './test-mode-notice.tsx'

/** /agents/{appId}/publish/catalog/products */
export function ProductsPage() {
  const agent = useAgent()
  const isEditor = useMay('editor')
  const search = useSearch({ from: '/agents/$appId/publish/catalog/products' })
  const show = useShow()
  const { q } = search
  const products = useOperationList('list_products', {
    app_id: agent.id,
    limit: 50,
    ...(q === undefined ? {} : { q }),
  })
  const kept = q === undefined ? {} : { q }
  const opened = products.items.find(({ id }) => id === search.edit) ?? null
  const isOpen = isEditor && (search.edit === 'new' || opened !== null)
  return (
    <div className="flex flex-col gap-6">
      <TestModeNotice />
      <div className="flex flex-wrap items-center gap-3">
        <SearchBox key={q ?? ''} query={q ?? ''} />
        {isEditor && (
          <>
            <Button onClick={() => show({ ...kept, import: true })}>
              <FileUp aria-hidden />
              {t('publish.products.import')}
            </Button>
            <Button look="primary" onClick={() => show({ ...kept, edit: 'new' })}>
              <Plus aria-hidden />
              {t('publish.products.create')}
            </Button>
          </>
        )}
      </div>
      <Products
        products={products}
        isSearch={q !== undefined}
        mayChange={isEditor}
        onEdit={(id) => show({ ...kept, edit: id })}
      />
      <ProductDialog open={isOpen} product={opened} onClose={() => show(kept)} />
      <ImportDialog open={isEditor && search.import === true} onClose={() => show(kept)} />
    </div>
  )
}

function useShow(): (search: ProductsSearch) => void {
  const { app_name_id: appId } = useAgent()
  const navigate = useNavigate()
  return (search) =>
    void navigate({ to: '/agents/$appId/publish/catalog/products', params: { appId }, search })
}

function SearchBox({ query }: { readonly query: string }) {
  const show = useShow()
  const [typed, setTyped] = useState(query)
  function submit(event: FormEvent): void {
    event.preventDefault()
    const q = typed.trim()
    show(q === '' ? {} : { q })
  }
  return (
    <form role="search" onSubmit={submit} className="flex min-w-0 flex-1 basis-60 gap-2">
      <Input
        type="search"
        aria-label={t('publish.products.search')}
        placeholder={t('publish.products.search')}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Button type="submit" size="icon" aria-label={t('publish.products.search')}>
        <Search aria-hidden />
      </Button>
    </form>
  )
}

interface ProductsProps {
  readonly products: OperationList<Product>
  readonly isSearch: boolean
  readonly mayChange: boolean
  onEdit(id: string): void
}

function Products({ products, isSearch, mayChange, onEdit }: ProductsProps) {
  const remove = useOperationMutation('delete_product', { refreshes: ['list_products'] })
  const deletion = useUndoableDelete((id) => remove.mutateAsync({ product_id: id }))
  const shown = products.items.filter(({ id }) => !deletion.hidden.has(id))
  if (products.isPending) return <LoadingRows />
  if (products.error !== null)
    return <ErrorState error={products.error} onRetry={products.refetch} />
  if (shown.length === 0)
    return (
      <EmptyState
        icon={Package}
        title={isSearch ? t('publish.products.none') : t('publish.products.empty')}
        hint={isSearch ? t('publish.products.noneHint') : t('publish.products.emptyHint')}
      />
    )
  return (
    <Card className="py-1 sm:py-1">
      <VirtualList
        label={t('publish.parts.products')}
        items={shown}
        keyOf={(product) => product.id}
        rowPixels={72}
        onEnd={products.onEnd}
      >
        {(product) => (
          <ProductRow
            product={product}
            mayChange={mayChange}
            onEdit={() => onEdit(product.id)}
            onDelete={() =>
              deletion.remove(product.id, t('publish.products.deleted', { name: product.name }))
            }
          />
        )}
      </VirtualList>
    </Card>
  )
}
