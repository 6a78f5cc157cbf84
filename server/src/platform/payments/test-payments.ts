import { isAuthenticationRefused } from './authentication-refused.ts'
import {
  BadPaymentEvent,
  type ChargeOutcome,
  type ChargeRequest,
  type Payments,
} from './payments.ts'

/**
 * Moves no money. The token decides the outcome, so that it is the same whenever and wherever it is
 * asked: `spt_decline…` is declined, `spt_3ds…` wants authentication, anything else, and nothing at
 * all, succeeds.
 */
export function createTestPayments(): Payments {
  return {
    provider: 'test',
    isTest: true,
    needsCredential: false,
    handlers: [testHandler],
    charge: async (request) => decide(request),
    // No charge leaves a trace, because none is made.
    recall: async () => ({ status: 'declined', reference: null, code: 'never_charged' }),
    void: async () => 'voided',
    refund: async ({ refundId }) => ({ status: 'succeeded', reference: `test_${refundId}` }),
    async readEvent() {
      throw new BadPaymentEvent('the test provider sends no events')
    },
  }
}

function decide(request: ChargeRequest): ChargeOutcome {
  const token = request.credential?.token ?? ''
  const reference = request.continues ?? `test_${request.paymentId}`
  if (token.startsWith('spt_decline'))
    return { status: 'declined', reference, code: 'card_declined' }
  if (isAuthenticationRefused(request.authentication))
    return { status: 'declined', reference, code: 'authentication_failed' }
  if (!token.startsWith('spt_3ds') && request.continues === null)
    return { status: 'succeeded', reference }
  if (request.authentication === null)
    return { status: 'requires_action', reference, continueUrl: null, metadata: testMetadata }
  return isAuthenticated(request.authentication.outcome)
    ? { status: 'succeeded', reference }
    : { status: 'declined', reference, code: 'authentication_failed' }
}

/** Outcomes of 3-D Secure after which the liability is the issuer's. */
function isAuthenticated(outcome: string): boolean {
  return outcome === 'authenticated' || outcome === 'attempt_acknowledged'
}

const testMetadata = {
  acquirer_details: {
    acquirer_bin: '000000',
    acquirer_country: 'US',
    acquirer_merchant_id: 'test',
    merchant_name: 'Test payments',
  },
  directory_server: 'visa',
  flow_preference: { type: 'challenge', challenge: { type: 'preferred' } },
}

const docs = 'https://agenticcommerce.dev'

const testHandler = {
  id: 'test',
  name: 'dev.acp.tokenized.card',
  display_name: 'Test payment (no money moves)',
  version: '2026-01-22',
  spec: `${docs}/handlers/tokenized.card`,
  requires_delegate_payment: false,
  requires_pci_compliance: false,
  psp: 'test',
  config_schema: `${docs}/schemas/handlers/tokenized.card/config.json`,
  instrument_schemas: [`${docs}/schemas/handlers/tokenized.card/instrument.json`],
  config: { environment: 'test', supports_3ds: true, credential_types: ['spt'] },
}
