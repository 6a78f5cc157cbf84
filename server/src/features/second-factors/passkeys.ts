import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { Fault } from '#kernel/fault.ts'
import { parseBoundedJson } from '#kernel/json.ts'
import type { RelyingParty } from './relying-party.ts'
import { secondFactorFaults } from './second-factor-faults.ts'
import type { FactorRow } from './store.ts'

export type PasskeyCreation = PublicKeyCredentialCreationOptionsJSON
export type PasskeyRequest = PublicKeyCredentialRequestOptionsJSON

/** What the browser's `toJSON()` returned, as text; nothing in it is trusted. */
export type PasskeyAnswer = string

/** The device must check who uses it: a PIN, a fingerprint, a face. */
const verification = 'required'

interface Person {
  readonly id: string
  readonly email: string
  readonly name: string
}

/** Loaded at the first ceremony: the library is large. */
const library = () => import('@simplewebauthn/server')

/** What the browser needs to create a passkey; `challenge` is to be stored. */
export async function creationOptions(
  party: RelyingParty,
  person: Person,
  { known, timeoutMs }: { readonly known: readonly FactorRow[]; readonly timeoutMs: number },
): Promise<PasskeyCreation> {
  const { generateRegistrationOptions } = await library()
  return await generateRegistrationOptions({
    rpName: 'Parley',
    rpID: party.id,
    userName: person.email,
    userDisplayName: person.name,
    userID: new TextEncoder().encode(person.id),
    timeout: timeoutMs,
    attestationType: 'none',
    excludeCredentials: descriptors(known),
    authenticatorSelection: { residentKey: 'discouraged', userVerification: verification },
  })
}

/** What the browser needs to use one of the passkeys. */
export async function requestOptions(
  party: RelyingParty,
  known: readonly FactorRow[],
  timeoutMs: number,
): Promise<PasskeyRequest> {
  const { generateAuthenticationOptions } = await library()
  return await generateAuthenticationOptions({
    rpID: party.id,
    timeout: timeoutMs,
    allowCredentials: descriptors(known),
    userVerification: verification,
  })
}

function descriptors(rows: readonly FactorRow[]) {
  return rows.flatMap(({ credential_id: id, transports_json }) => {
    if (id === null) return []
    const transports: unknown = JSON.parse(transports_json ?? '[]')
    return [{ id, ...(Array.isArray(transports) ? { transports: transports.map(String) } : {}) }]
  })
}

/** @returns the columns of a new passkey. @throws Fault factor_wrong */
export async function verifyCreation(
  party: RelyingParty,
  answer: PasskeyAnswer,
  challenge: string,
): Promise<
  Pick<FactorRow, 'credential_id' | 'public_key' | 'sign_count' | 'transports_json'> & {
    readonly credential_id: string
  }
> {
  return await checking(async () => {
    const { verifyRegistrationResponse } = await library()
    const response = parseBoundedJson(answer) as RegistrationResponseJSON // Checked by the library.
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
    })
    if (registrationInfo === undefined) throw new Error('the passkey was not verified')
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential
    return {
      credential_id: id,
      public_key: Buffer.from(publicKey).toString('base64url'),
      sign_count: counter,
      transports_json: JSON.stringify(transports.map(String).slice(0, 10)),
    }
  })
}

/**
 * The passkey that answered, and its new sign counter. The library refuses a counter that did not
 * increase, which a copied passkey would send (WebAuthn §6.1.1).
 *
 * @throws Fault factor_wrong
 */
export async function verifyUse(
  party: RelyingParty,
  known: readonly FactorRow[],
  { answer, challenge }: { readonly answer: PasskeyAnswer; readonly challenge: string },
): Promise<{ readonly row: FactorRow; readonly signCount: number }> {
  return await checking(async () => {
    const { verifyAuthenticationResponse } = await library()
    const response = parseBoundedJson(answer) as AuthenticationResponseJSON // Checked by the library.
    const row = known.find(({ credential_id }) => credential_id === response.id)
    if (row === undefined) throw new Error('the passkey belongs to another account')
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: response.id,
        publicKey: new Uint8Array(Buffer.from(row.public_key ?? '', 'base64url')),
        counter: row.sign_count ?? 0,
      },
    })
    if (!verified) throw new Error('the signature is wrong')
    return { row, signCount: authenticationInfo.newCounter }
  })
}

/** Whatever is wrong with an answer has one fault; the cause is for the log. */
async function checking<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (cause) {
    throw new Fault(secondFactorFaults.factor_wrong, {}, { cause })
  }
}
