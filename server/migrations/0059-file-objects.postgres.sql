-- The bytes of files in a store of objects, by the complete address of the object.
create table knowledge_file_objects (
  source_id text primary key references knowledge_sources (id) on delete cascade,
  address text not null,
  byte_length bigint not null,
  -- 1 after a restore: the database that was backed up may refer to the object, too.
  is_shared bigint not null default 0
);

-- Objects to be deleted from their store. An object is listed before it is stored, until its file refers to
-- it, so that none is left behind by a process that was killed.
create table object_deletions (
  address text primary key,
  due_at bigint not null
);
create index object_deletions_by_due_at on object_deletions (due_at);

create function delete_object_of_file() returns trigger language plpgsql as $$
begin
  insert into object_deletions (address, due_at) values (old.address, 0)
    on conflict (address) do update set due_at = 0;
  return null;
end
$$;

create trigger knowledge_file_objects_removed after delete on knowledge_file_objects
  for each row when (old.is_shared = 0) execute function delete_object_of_file();
