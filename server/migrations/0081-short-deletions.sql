-- For each deleted rating, a trigger looks for others of its conversation that are as good or as bad.
create index chat_feedback_by_rating on chat_feedback (session_id, rating);
