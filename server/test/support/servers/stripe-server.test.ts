import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startStripeServer } from './stripe-server.ts'
import { until } from '#test/support/until.ts'

test('the test payment server ignores an incomplete request, as from a killed process', async () => {
  const stripe = await startStripeServer()
  const socket = connect(Number(new URL(stripe.baseUrl).port), '127.0.0.1')
  await once(socket, 'connect')
  const head = ['POST /v1/payment_intents HTTP/1.1', 'host: stripe', 'content-length: 100', '', '']
  socket.write(`${head.join('\r\n')}amount=990`)
  await until('the request is being read', () => stripe.answering() === 1)
  socket.destroy()
  await until('the request is dropped', () => stripe.answering() === 0)
  expect([stripe.requests, stripe.intents.size]).toEqual([[], 0])
  await stripe.stop()
})
