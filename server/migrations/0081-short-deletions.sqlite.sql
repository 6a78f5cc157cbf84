-- The index of conversations is merged in small units by the job that fills it, instead of much at once by
-- units that delete or add conversations.
insert into conversation_index (conversation_index, rank) values ('automerge', 0);
insert into conversation_index (conversation_index, rank) values ('crisismerge', 64);
