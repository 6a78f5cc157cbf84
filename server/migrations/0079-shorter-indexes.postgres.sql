-- Fewer bytes in indexes for each turn. In order:
--
-- Words of conversations share buckets that are four times as large as those of migration 63, about 240
-- references each: they are closer together in the table, so most of them take two bytes instead of three.
-- A search for a rare word reads four times as many rows. Generation g of the rows, by their id, now has 2^g
-- buckets.
--
-- Indexes of conversations and of the ledger begin with the last seven digits of the agent's or workspace's id,
-- and PostgreSQL fills the pages of entries of 24 bytes: it leaves half of each empty when entries are
-- wider. Statements compare the digits and the id.
--
-- The number of an end user in analytics contains the agent, so its index needs only the number.
--
-- Turns wait while the indexes are built. Larger tables keep their indexes: docs/scale.md has the statements
-- that replace them beside traffic. Until all processes run this version, those of the version before read
-- the agent's conversations or the whole ledger for a list.
create function conversation_shares(id bigint, hashes integer[]) returns integer[]
language sql immutable strict parallel safe cost 10000 as $$
  select array_agg((1 << width) + ((hash::bigint & 4294967295) >> (32 - width))::integer)
  from (select least(64 - position('1' in id::bit(64)::text), 28) as width) as generation,
    unnest(hashes) as hash
$$;

-- Conversations with any of these terms, at most so many rows. The planner knows little about buckets: where
-- it expects many rows, it would read the table from its beginning and compute the buckets of each row.
-- A large instance has the index of migration 63 until its operator has replaced it.
create function conversations_with_any(wanted integer[], texts text[], most bigint)
returns setof text language plpgsql stable rows 1000 set enable_seqscan = off as $$
declare
  is_former boolean := to_regclass('conversation_terms_by_bucket') is not null;
  buckets integer[] := array(
    select (1 << width) + ((hash::bigint & 4294967295) >> (32 - width))::integer
    from generate_series(case when is_former then 2 else 0 end, case when is_former then 30 else 28 end) as width,
      unnest(wanted) as hash
  );
begin
  if is_former then
    return query
      select session_id from conversation_terms
      where hashes is not null and conversation_buckets(id, hashes) && buckets and hashes && wanted
      union all
      select session_id from conversation_terms where terms @> texts
      limit most;
  else
    return query
      select session_id from conversation_terms
      where hashes is not null and conversation_shares(id, hashes) && buckets and hashes && wanted
      union all
      select session_id from conversation_terms where terms @> texts
      limit most;
  end if;
end $$;

-- The version before calls it.
create or replace function conversations_with(buckets integer[], wanted integer[], texts text[], most bigint)
returns setof text language sql stable rows 1000 as $$
  select * from conversations_with_any(wanted, texts, most)
$$;
alter function conversations_with reset enable_seqscan;

do $$ begin
  if (select count(*) from (select 1 from conversation_terms limit 500001) as counted) <= 500000 then
    create index conversation_terms_by_share
      on conversation_terms using gin (conversation_shares(id, hashes)) where hashes is not null;
    drop index conversation_terms_by_bucket;
  end if;
  if (select count(*) from (select 1 from chat_sessions limit 500001) as counted) <= 500000 then
    create index chat_sessions_by_digits on chat_sessions (substr(agent_id, 30), created_at);
    create index chat_sessions_by_user on chat_sessions (substr(agent_id, 30), end_user, created_at)
      where end_user is not null;
    drop index chat_sessions_by_time;
    drop index chat_sessions_of_end_user;
  end if;
  if (select count(*) from (select 1 from credit_entries limit 500001) as counted) <= 500000 then
    create index credit_entries_by_digits on credit_entries (substr(workspace_id, 30), created_at);
    create index credit_entries_by_user on credit_entries (substr(workspace_id, 30), end_user, created_at)
      where end_user is not null;
    drop index credit_entries_by_time;
    drop index credit_entries_by_end_user;
  end if;
  if (select count(*) from (select 1 from analytics_users limit 500001) as counted) <= 500000 then
    drop index analytics_users_by_key;
    create index analytics_users_by_key on analytics_users (user_key);
  end if;
end $$;

-- Without these, the planner multiplies the shares of the digits and of the id, and expects too few rows.
create statistics chat_sessions_digits (dependencies) on agent_id, (substr(agent_id, 30)) from chat_sessions;
create statistics credit_entries_digits (dependencies) on workspace_id, (substr(workspace_id, 30))
  from credit_entries;

-- Figures change often: with free space, their new versions stay in the page.
alter table analytics_figures set (fillfactor = 60);
