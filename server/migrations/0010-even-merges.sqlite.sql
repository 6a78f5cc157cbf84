-- The full-text index is merged a little by each unit that adds to it, instead of much now and then.
insert into knowledge_index (knowledge_index, rank) values ('automerge', 0);
