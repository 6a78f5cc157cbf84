-- The oldest live grants of a person, who may have many ended ones.
create index oauth_grants_live_by_user on oauth_grants (user_id, id) where revoked_at is null;
