-- What lists know of a conversation is kept by the statements that store answers (see turn-store.ts). The trigger
-- then found nothing to change, but took a fifth of the server's time of a turn. Connections whose
-- statements update it set `parley.keeps_facts`; for the version before, and for all others, the trigger works as
-- before.
create or replace trigger chat_messages_added after insert on chat_messages for each row
when (
  (new.model is not null or new.error_code is not null or new.citations_json = '[]')
  and current_setting('parley.keeps_facts', true) is distinct from 'yes'
)
execute function chat_message_added();
