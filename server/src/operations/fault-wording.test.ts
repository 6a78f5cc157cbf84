import { describe, expect, test } from 'vitest'
import { memberFaults } from '#features/members/index.ts'
import { quotaFaults } from '#features/quotas/index.ts'
import { workspaceFaults } from '#features/workspaces/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { faultMessage } from './fault-wording.ts'

describe('the words of a refusal', () => {
  test.each([
    ['owner', 'Ask an owner.'],
    ['admin', 'Ask an owner or admin.'],
  ])('name only those who may do what needs the role %s', (needs, next) => {
    const refused = new Fault(commonFaults.permission_denied, { role: 'viewer', needs })
    expect(faultMessage(refused)).toMatch(new RegExp(`${next}$`))
  })

  test.each([
    ['members', 1, '1 member.'],
    ['agents', 3, '3 agents.'],
    ['sourcesPerAgent', 10, '10 sources for an agent.'],
  ])('count the %s that a plan allows', (resource, allowed, words) => {
    const full = new Fault(workspaceFaults.plan_limit_reached, { resource, allowed, plan: 'free' })
    expect(faultMessage(full)).toContain(`The free plan allows ${words}`)
  })

  test.each([
    [20_000_000_000, '20 GB of sources'],
    [1_500_000, '1.5 MB of sources'],
  ])('name a limit of %d bytes in units that people use', (allowed, words) => {
    const limit = 'storage_bytes_per_workspace'
    const facts = { limit, things: 'bytes of sources', per: 'workspace', allowed }
    const full = new Fault(quotaFaults.limit_reached, facts)
    expect(faultMessage(full)).toContain(`The limit of ${words} per workspace`)
  })

  test('do not lead a person to leave a workspace that they meant to transfer', () => {
    expect(faultMessage(new Fault(memberFaults.member_is_you))).toContain('Name another member')
  })
})
