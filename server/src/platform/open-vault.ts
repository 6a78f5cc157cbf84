import type { Config } from '#config'
import type { Database } from './db/database.ts'
import { decideMeta, readMeta } from './meta.ts'
import { createSecretKey, readSecretKey, secretKeyFile } from './secret-key.ts'
import { createVault, type Vault } from './vault.ts'

/** The secret key is not the one that this database's values are sealed under. */
class SecretKeyError extends Error {
  override readonly name = 'SecretKeyError'
}

/**
 * The vault under the key of `SECRET_KEY`, else of the data folder. The first key that opens a
 * database is the one it keeps: any other is refused, and none is made for a database that has one.
 *
 * @throws SecretKeyError
 */
export async function openVault(
  config: Pick<Config, 'secretKey' | 'dataDir'>,
  db: Database,
): Promise<Vault> {
  const known = await readMeta(db.read, 'secret_key_fingerprint')
  const vault = createVault(await chooseKey(config, known !== undefined))
  const fingerprint = known ?? (await keepFingerprint(db, vault.fingerprint))
  if (fingerprint === vault.fingerprint) return vault
  const origin = config.secretKey === undefined ? secretKeyFile(config.dataDir) : 'SECRET_KEY'
  throw new SecretKeyError(
    `${origin} (fingerprint ${vault.fingerprint}) is not the key this database was made with (${fingerprint}): put that one back`,
  )
}

async function chooseKey(
  { secretKey, dataDir }: Pick<Config, 'secretKey' | 'dataDir'>,
  isKept: boolean,
): Promise<string> {
  const key = secretKey ?? (await readSecretKey(dataDir))
  if (key !== undefined) return key
  if (!isKept) return createSecretKey(dataDir)
  throw new SecretKeyError(
    `the secret key of this database is missing: put ${secretKeyFile(dataDir)} back, or set SECRET_KEY`,
  )
}

/** @returns the fingerprint that the database keeps: ours, or that of a process that was first */
async function keepFingerprint(db: Database, fingerprint: string): Promise<string> {
  return db.write(async (tx) => {
    await decideMeta(tx, 'secret_key_fingerprint', fingerprint)
    return (await readMeta(tx, 'secret_key_fingerprint')) ?? fingerprint
  })
}
