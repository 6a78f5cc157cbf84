-- The oldest live grants of a person, who may have many ended ones.
create index oauth_grants_live_by_user on oauth_grants (user_id, id) where revoked_at is null;

-- Ended records, by their end: they are deleted some days later.
create index webhook_deliveries_ended on webhook_deliveries (created_at) where status <> 'pending';
create index webhook_endpoints_deleted on webhook_endpoints (deleted_at) where deleted_at is not null;
create index payments_ended on payments (updated_at)
where kind = 'charge' and status in ('declined', 'voided');
create index checkout_sessions_ended on checkout_sessions (updated_at)
where status in ('canceled', 'expired');
create index api_keys_revoked on api_keys (revoked_at) where revoked_at is not null;
create index api_keys_by_expiry on api_keys (expires_at) where expires_at is not null;
create index products_deleted on products (deleted_at) where deleted_at is not null;
create index invitations_by_expiry on invitations (expires_at);
create index billing_checkouts_begun on billing_checkouts (created_at) where completed_at is null;

-- The engine looks for references to a row that it deletes.
create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id);
create index checkout_sessions_by_key on checkout_sessions (api_key_id);
create index payments_by_refunded on payments (refund_of) where refund_of is not null;
