-- What was granted this month before the credits were shared.
insert into credit_shares (user_id, month, recipient_id, granted_micros, moved_micros)
select workspace.billing_user_id, to_char(now() at time zone 'utc', 'YYYY-MM'), workspace.id, sum(entry.amount_micros), 0
from workspaces workspace
join credit_entries entry
  on entry.workspace_id = workspace.id
  and entry.idempotency_key is not null
  and entry.kind = 'grant'
  and entry.note = to_char(now() at time zone 'utc', 'YYYY-MM')
  and entry.idempotency_key like 'month:%'
where workspace.billing_user_id is not null and workspace.plan_is_own = 0
group by workspace.billing_user_id, workspace.id;
