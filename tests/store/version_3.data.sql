-- What an installation of schema version 3 held: frozen.
INSERT INTO meta (key, value) VALUES ('schema_version', '3');
INSERT INTO meta (key, value) VALUES ('installation', 'i1');
INSERT INTO projects (id, name, path, machine, status, base, settings, settings_files, settings_from, settings_tree, settings_problem, default_agent, created_at)
  VALUES ('p1', 'shop', '/repos/shop', 'm1', 'active', 'main', '{"dod": {"flaky": "land"}}', '{}', 'commit', 'tree0', '', 'ann', 10);
INSERT INTO agents (id, name, role, client, command, model, system_prompt, prompt, scope, slots, access, style, terminal, skills, status, passkey_hash, created_at)
  VALUES ('ann', 'ann', 'coder', 'command', 'sh agent.sh', '', '', '', '{"exclude": [".env"]}', 2, 'sealed', 'exec', 'plain', '{}', 'active', '', 10);
INSERT INTO assignments (project, agent) VALUES ('p1', 'ann');
INSERT INTO targets (project, name, tip, tip_tree, published, tip_gate, trusted_tree, seen, seen_tree, seen_relation, seen_contains_published, waiting, waiting_why, stopped, accepted_count)
  VALUES ('p1', 'main', 'c1', 'tree1', 'c1', 'g1', '', 'c1', 'tree1', 'same', TRUE, '[]', '', '', 1);
INSERT INTO tasks (id, project, agent, title, description, type, priority, parent, write, checks, timeout_s, held, target, name, worktree, branch, base_commit, landed_commit, created_at, changed_at, status, reason, detail, next_purpose, nblock, generation)
  VALUES ('t1', 'p1', 'ann', 'First', '', 'task', 2, '', 'null', '[]', 3600, FALSE, 'main', 'first-t1', '', 'agent/first-t1', 'c0', 'c1', 11, 20, 'done', '', '', '', 0, 1);
INSERT INTO tasks (id, project, agent, title, description, type, priority, parent, write, checks, timeout_s, held, target, name, worktree, branch, base_commit, landed_commit, created_at, changed_at, status, reason, detail, next_purpose, nblock, generation)
  VALUES ('t2', 'p1', 'ann', 'Second', '', 'task', 1, '', '["src/"]', '[]', 3600, FALSE, 'main', '', '', '', '', '', 12, 21, 'ready', '', '', 'implement', 0, 0);
INSERT INTO dependencies (task, needs) VALUES ('t2', 't1');
INSERT INTO runs (id, task, project, agent, client, coordinator, purpose, generation, request, scope, prompt, told, access, live, created_at, outcome, outcome_reason, start_commit, worktree, started_at, ended_at, exit_code, signal, collected, said, parked_until)
  VALUES ('r1', 't1', 'p1', 'ann', 'command', 'm1/main', 'implement', 1, 'q1', '{}', '', '{}', 'sealed', FALSE, 13, 'succeeded', '', 'c0', '/repos/shop/.worktrees/first-t1', 14, 15, 0, '', '{"head": "h1", "commits": 1, "new_commits": 1}', NULL, NULL);
INSERT INTO orders (id, kind, key, project, place, taken_by, task, run, landing, gate, generation, inputs, limit_s, version, state, created_at, ended_at)
  VALUES ('o1', 'run', 'run/r1', 'p1', 'm1/main', 'm1/main', 't1', 'r1', '', '', 1, '{}', 3600, 1, 'reported', 13, 15);
INSERT INTO facts (kind, "order", project, task, run, landing, gate, generation, coordinator, incarnation, standing, body, at)
  VALUES ('exited', 'o1', 'p1', 't1', 'r1', '', '', 1, 'm1/main', 1, 'applied', '{"exit_code": 0}', 15);
INSERT INTO landings (id, project, target, kind, task, run, generation, head, priority, created_at, begun, old_tip, candidate, tree, conflict, gate, verdict, evidence, accepted_at, accept_number, published_at, ended, ended_detail, trusted, stale, problem, accept_refused)
  VALUES ('l1', 'p1', 'main', 'task', 't1', 'r1', 1, 'h1', 2, 16, TRUE, 'c0', 'c1', 'tree1', 'null', 'g1', 'green', 'e1', 18, 1, 19, 'landed', '', FALSE, '', '', FALSE);
INSERT INTO gates (id, key, project, target, "commit", tree, checks, goals, setup, exclude, flaky, created_at, verdict)
  VALUES ('g1', 'p1/tree1/x/1', 'p1', 'main', 'c1', 'tree1', '[{"command": "make test"}]', '[]', '{}', '[]', 'land', 16, 'green');
INSERT INTO checks (gate, project, tree, command, attempt, result, exit_code, signal, duration_s, output, tail, setup_key, fingerprint, reason, reused_from, at)
  VALUES ('g1', 'p1', 'tree1', 'make test', 1, 'passed', 0, '', 1.5, '', '', '', 'f1', '', NULL, 17);
INSERT INTO evidence (id, task, landing, body, at) VALUES ('e1', 't1', 'l1', '{"verdict": "green"}', 18);
INSERT INTO tokens (hash, agent, project, run, expires_at, limit_at, ended_at, ended_by) VALUES ('x1', 'ann', 'p1', 'r1', 99, 100, NULL, '');
INSERT INTO coordinators (id, machine, name, key_hash, incarnation, boot, pid, clients, fingerprint, interval_s, acknowledged, seen_at, unseen)
  VALUES ('m1/main', 'm1', 'main', 'k', 3, 'b', 1, '{}', 'f1', 10, 7, 20, FALSE);
INSERT INTO events (at, kind, project, task, run, body) VALUES (11, 'task_added', 'p1', 't1', '', '{}');
INSERT INTO events (at, kind, project, task, run, body) VALUES (20, 'task_done', 'p1', 't1', '', '{}');
INSERT INTO marks (subject, look_at) VALUES ('task:t2', 0);
