import { expect, test } from 'vitest'
import { actionTitle } from './action-title.ts'

test.each([
  ['create_app', 'Create agent'],
  ['create_chat_key', 'Create chat key'],
  ['sign_in', 'Sign in'],
  ['billing.change_plan', 'Change plan'],
  ['unheard_of', 'Unheard of'],
])('the action %s is shown as %j', (action, title) => {
  expect(actionTitle(action)).toBe(title)
})
