import { expect, test } from 'vitest'
import { changesOf, draftOf, fieldsOf } from './product-draft.ts'
import type { Product } from './product-row.tsx'

const product = {
  name: 'Teapot',
  description: '',
  sku: 'T-1',
  price_amount: 1250,
  currency: 'usd',
  stock: 5,
  fulfillment_type: 'shipping',
  images: ['https://shop.example/a.png'],
  categories: [],
  tax_code: null,
  active: true,
} as unknown as Product // the fields that the form has

test('a product that is opened and saved has no changes', () => {
  expect(changesOf(draftOf(product), product, 'usd')).toEqual({})
})

test('only changed fields are sent, so that sales in the meantime are kept', () => {
  const draft = { ...draftOf(product), price: '13', images: '' }
  expect(changesOf(draft, product, 'usd')).toEqual({ price_amount: 1300, images: [] })
})

test('an empty stock is not tracked, and blank text is null', () => {
  const draft = { ...draftOf(product), stock: ' ', sku: ' ', categories: ' tea \n\n pots ' }
  expect(fieldsOf(draft, 'usd')).toMatchObject({
    stock: null,
    sku: null,
    categories: ['tea', 'pots'],
  })
})

test('a price that is not an amount is refused', () => {
  expect(fieldsOf({ ...draftOf(product), price: 'twelve' }, 'usd')).toBeNull()
})
