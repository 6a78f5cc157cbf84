import { expect, test } from 'vitest'
import { maskAddress } from './mask-address.ts'

test.each([
  ['https://shop.example/orders', 'https://shop.example/orders'],
  ['https://ada:secret@shop.example/orders', 'https://••••••@shop.example/orders'],
  ['https://a@b:secret@shop.example', 'https://••••••@shop.example'],
  ['https://shop.example/o?token=abc&x=1', 'https://shop.example/o?token=••••••&x=••••••'],
  ['https://shop.example/o?abc', 'https://shop.example/o?••••••'],
  ['https://shop.example/o?t=a=b#frag', 'https://shop.example/o?t=••••••#••••••'],
  ['https://shop.example/o?t=a%0Ab\nc', 'https://shop.example/o?t=••••••'],
  [
    'https://hooks.example/services/T01/B02/a1b2c3d4e5f6g7h8i9j0k1l2',
    'https://hooks.example/services/T01/B02/••••••',
  ],
  ['https://shop.example/@ada/orders', 'https://shop.example/@ada/orders'],
])('the address %s is shown as %s', (address, shown) => {
  expect(maskAddress(address)).toBe(shown)
})
