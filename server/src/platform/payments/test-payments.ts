import {
  BadProviderEvent,
  isAuthenticationRefused,
  tokenizedCard,
  type ChargeOutcome,
  type ChargeRequest,
  type Payments,
} from './payments.ts'

/**
 * Moves no money. The token alone decides the outcome, so retries agree: `spt_decline…` is declined,
 * `spt_3ds…` requires authentication, and any other token, or none, succeeds.
 */
export function createTestPayments(): Payments {
  return {
    provider: 'test',
    isTest: true,
    needsCredential: false,
    handlers: [testHandler],
    charge: async (request) => decide(request),
    // It makes no charges, so none can be found.
    recall: async () => ({ status: 'declined', reference: null, code: 'never_charged' }),
    void: async () => 'voided',
    refund: async ({ refundId }) => ({ status: 'succeeded', reference: `test_${refundId}` }),
    async readEvent() {
      throw new BadProviderEvent('the test provider sends no events')
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

/** Outcomes of 3-D Secure that make the issuer liable. */
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

const testHandler = {
  ...tokenizedCard,
  id: 'test',
  display_name: 'Test payment (no money moves)',
  requires_delegate_payment: false,
  psp: 'test',
  config: { environment: 'test', supports_3ds: true, credential_types: ['spt'] },
}
