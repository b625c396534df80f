-- Schema version 3 as sqlite had it: frozen, never regenerate.

CREATE TABLE agents (
  id VARCHAR NOT NULL,
  name VARCHAR NOT NULL,
  role VARCHAR NOT NULL,
  client VARCHAR NOT NULL,
  command TEXT NOT NULL,
  model VARCHAR NOT NULL,
  system_prompt TEXT NOT NULL,
  prompt TEXT NOT NULL,
  scope JSON NOT NULL,
  slots INTEGER NOT NULL,
  access VARCHAR NOT NULL,
  style VARCHAR NOT NULL,
  terminal VARCHAR NOT NULL,
  skills JSON DEFAULT '{}' NOT NULL,
  status VARCHAR NOT NULL,
  passkey_hash VARCHAR NOT NULL,
  created_at DOUBLE NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE assignments (
  project VARCHAR NOT NULL,
  agent VARCHAR NOT NULL,
  PRIMARY KEY (project, agent),
  FOREIGN KEY(project) REFERENCES projects (id),
  FOREIGN KEY(agent) REFERENCES agents (id)
);

CREATE TABLE checks (
  seq INTEGER NOT NULL,
  gate VARCHAR NOT NULL,
  project VARCHAR NOT NULL,
  tree VARCHAR NOT NULL,
  command TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  result VARCHAR NOT NULL,
  exit_code INTEGER,
  signal VARCHAR NOT NULL,
  duration_s DOUBLE NOT NULL,
  output VARCHAR NOT NULL,
  tail TEXT NOT NULL,
  setup_key VARCHAR NOT NULL,
  fingerprint VARCHAR NOT NULL,
  reason TEXT NOT NULL,
  reused_from INTEGER,
  interrupted BOOLEAN DEFAULT 0 NOT NULL,
  at DOUBLE NOT NULL,
  PRIMARY KEY (seq)
);
CREATE INDEX checks_key ON checks (project, tree, result);
CREATE INDEX ix_checks_gate ON checks (gate);

CREATE TABLE claims (
  seq INTEGER NOT NULL,
  run VARCHAR NOT NULL,
  task VARCHAR NOT NULL,
  kind VARCHAR NOT NULL,
  result VARCHAR NOT NULL,
  summary TEXT NOT NULL,
  next_steps TEXT NOT NULL,
  late BOOLEAN NOT NULL,
  at DOUBLE NOT NULL,
  PRIMARY KEY (seq)
);
CREATE INDEX ix_claims_run ON claims (run);
CREATE INDEX ix_claims_task ON claims (task);

CREATE TABLE coordinators (
  id VARCHAR NOT NULL,
  machine VARCHAR NOT NULL,
  name VARCHAR NOT NULL,
  key_hash VARCHAR NOT NULL,
  incarnation INTEGER NOT NULL,
  boot VARCHAR NOT NULL,
  pid INTEGER NOT NULL,
  clients JSON NOT NULL,
  fingerprint VARCHAR NOT NULL,
  interval_s DOUBLE NOT NULL,
  acknowledged BIGINT NOT NULL,
  seen_at DOUBLE,
  unseen BOOLEAN NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE dependencies (
  task VARCHAR NOT NULL,
  needs VARCHAR NOT NULL,
  PRIMARY KEY (task, needs),
  FOREIGN KEY(task) REFERENCES tasks (id),
  FOREIGN KEY(needs) REFERENCES tasks (id)
);
CREATE INDEX dependencies_needs ON dependencies (needs);

CREATE TABLE events (
  seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  at DOUBLE NOT NULL,
  kind VARCHAR NOT NULL,
  project VARCHAR NOT NULL,
  task VARCHAR NOT NULL,
  run VARCHAR NOT NULL,
  body JSON NOT NULL
);
CREATE INDEX events_project ON events (project, seq);
CREATE INDEX events_task ON events (task, seq);

CREATE TABLE evidence (
  id VARCHAR NOT NULL,
  task VARCHAR NOT NULL,
  landing VARCHAR NOT NULL,
  body JSON NOT NULL,
  at DOUBLE NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX ix_evidence_task ON evidence (task);

CREATE TABLE facts (
  seq INTEGER NOT NULL,
  kind VARCHAR NOT NULL,
  "order" VARCHAR NOT NULL,
  project VARCHAR NOT NULL,
  task VARCHAR NOT NULL,
  run VARCHAR NOT NULL,
  landing VARCHAR NOT NULL,
  gate VARCHAR NOT NULL,
  generation INTEGER NOT NULL,
  coordinator VARCHAR NOT NULL,
  incarnation INTEGER NOT NULL,
  standing VARCHAR NOT NULL,
  body JSON NOT NULL,
  at DOUBLE NOT NULL,
  PRIMARY KEY (seq)
);
CREATE INDEX facts_gate ON facts (gate);
CREATE INDEX facts_landing ON facts (landing);
CREATE INDEX facts_order ON facts ("order");
CREATE INDEX facts_run ON facts (run);
CREATE INDEX facts_standing ON facts (standing);

CREATE TABLE gates (
  id VARCHAR NOT NULL,
  "key" VARCHAR NOT NULL,
  project VARCHAR NOT NULL,
  target VARCHAR NOT NULL,
  "commit" VARCHAR NOT NULL,
  tree VARCHAR NOT NULL,
  checks JSON NOT NULL,
  goals JSON NOT NULL,
  setup JSON NOT NULL,
  exclude JSON NOT NULL,
  flaky VARCHAR NOT NULL,
  created_at DOUBLE NOT NULL,
  verdict VARCHAR NOT NULL,
  PRIMARY KEY (id),
  UNIQUE ("key")
);

CREATE TABLE landings (
  seq INTEGER NOT NULL,
  id VARCHAR NOT NULL,
  project VARCHAR NOT NULL,
  target VARCHAR NOT NULL,
  kind VARCHAR NOT NULL,
  task VARCHAR NOT NULL,
  run VARCHAR NOT NULL,
  generation INTEGER NOT NULL,
  head VARCHAR NOT NULL,
  priority INTEGER NOT NULL,
  created_at DOUBLE NOT NULL,
  begun BOOLEAN NOT NULL,
  trusted BOOLEAN NOT NULL,
  old_tip VARCHAR NOT NULL,
  candidate VARCHAR NOT NULL,
  tree VARCHAR NOT NULL,
  "conflict" JSON,
  stale VARCHAR NOT NULL,
  problem TEXT NOT NULL,
  accept_refused BOOLEAN NOT NULL,
  gate VARCHAR NOT NULL,
  verdict VARCHAR NOT NULL,
  evidence VARCHAR NOT NULL,
  accepted_at DOUBLE,
  accept_number INTEGER NOT NULL,
  published_at DOUBLE,
  ended VARCHAR NOT NULL,
  ended_detail TEXT NOT NULL,
  PRIMARY KEY (seq),
  UNIQUE (id)
);
CREATE INDEX landings_queue ON landings (project, target, ended, seq);
CREATE INDEX landings_task ON landings (task);
CREATE INDEX landings_unpublished ON landings (project, target, accept_number) WHERE accepted_at IS NOT NULL AND published_at IS NULL;

CREATE TABLE marks (
  subject VARCHAR NOT NULL,
  look_at DOUBLE NOT NULL,
  PRIMARY KEY (subject)
);
CREATE INDEX marks_look_at ON marks (look_at);

CREATE TABLE meta (
  "key" VARCHAR NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY ("key")
);

CREATE TABLE orders (
  seq INTEGER NOT NULL,
  id VARCHAR NOT NULL,
  kind VARCHAR NOT NULL,
  "key" VARCHAR NOT NULL,
  project VARCHAR NOT NULL,
  place VARCHAR NOT NULL,
  taken_by VARCHAR NOT NULL,
  task VARCHAR NOT NULL,
  run VARCHAR NOT NULL,
  landing VARCHAR NOT NULL,
  gate VARCHAR NOT NULL,
  generation INTEGER NOT NULL,
  inputs JSON NOT NULL,
  limit_s DOUBLE NOT NULL,
  version INTEGER NOT NULL,
  state VARCHAR NOT NULL,
  created_at DOUBLE NOT NULL,
  ended_at DOUBLE,
  PRIMARY KEY (seq),
  UNIQUE (id),
  UNIQUE ("key")
);
CREATE INDEX orders_gate ON orders (gate);
CREATE INDEX orders_landing ON orders (landing);
CREATE INDEX orders_place ON orders (place, state);
CREATE INDEX orders_project ON orders (project, state);
CREATE INDEX orders_run ON orders (run);
CREATE INDEX orders_task ON orders (task);

CREATE TABLE projects (
  id VARCHAR NOT NULL,
  name VARCHAR NOT NULL,
  path TEXT NOT NULL,
  machine VARCHAR NOT NULL,
  status VARCHAR NOT NULL,
  base VARCHAR NOT NULL,
  settings JSON NOT NULL,
  settings_files JSON NOT NULL,
  settings_from VARCHAR NOT NULL,
  settings_tree VARCHAR NOT NULL,
  settings_problem TEXT NOT NULL,
  default_agent VARCHAR NOT NULL,
  created_at DOUBLE NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE runs (
  seq INTEGER NOT NULL,
  id VARCHAR NOT NULL,
  task VARCHAR NOT NULL,
  project VARCHAR NOT NULL,
  agent VARCHAR NOT NULL,
  client VARCHAR NOT NULL,
  coordinator VARCHAR NOT NULL,
  purpose VARCHAR NOT NULL,
  generation INTEGER NOT NULL,
  request VARCHAR NOT NULL,
  scope JSON NOT NULL,
  prompt VARCHAR NOT NULL,
  told JSON NOT NULL,
  access VARCHAR NOT NULL,
  live BOOLEAN NOT NULL,
  created_at DOUBLE NOT NULL,
  outcome VARCHAR NOT NULL,
  outcome_reason VARCHAR NOT NULL,
  start_commit VARCHAR NOT NULL,
  worktree TEXT NOT NULL,
  started_at DOUBLE,
  ended_at DOUBLE,
  exit_code INTEGER,
  signal VARCHAR NOT NULL,
  collected JSON,
  said JSON,
  parked_until DOUBLE,
  PRIMARY KEY (seq),
  UNIQUE (task, generation),
  UNIQUE (id),
  FOREIGN KEY(task) REFERENCES tasks (id)
);
CREATE INDEX runs_coordinator ON runs (coordinator, live);
CREATE INDEX runs_live ON runs (project, agent, live);
CREATE INDEX runs_parked ON runs (parked_until) WHERE parked_until IS NOT NULL;
CREATE INDEX runs_request ON runs (request);

CREATE TABLE secrets (
  name VARCHAR NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (name)
);

CREATE TABLE settings (
  "key" VARCHAR NOT NULL,
  value JSON NOT NULL,
  PRIMARY KEY ("key")
);

CREATE TABLE targets (
  project VARCHAR NOT NULL,
  name VARCHAR NOT NULL,
  tip VARCHAR NOT NULL,
  tip_tree VARCHAR NOT NULL,
  published VARCHAR NOT NULL,
  tip_gate VARCHAR NOT NULL,
  trusted_tree VARCHAR NOT NULL,
  seen VARCHAR NOT NULL,
  seen_tree VARCHAR NOT NULL,
  seen_relation VARCHAR NOT NULL,
  seen_contains_published BOOLEAN NOT NULL,
  waiting JSON NOT NULL,
  waiting_why VARCHAR NOT NULL,
  stopped VARCHAR NOT NULL,
  retry_at DOUBLE DEFAULT '0' NOT NULL,
  foreign_tip VARCHAR DEFAULT '' NOT NULL,
  accepted_count INTEGER NOT NULL,
  PRIMARY KEY (project, name),
  FOREIGN KEY(project) REFERENCES projects (id)
);

CREATE TABLE tasks (
  seq INTEGER NOT NULL,
  id VARCHAR NOT NULL,
  project VARCHAR NOT NULL,
  agent VARCHAR NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  type VARCHAR NOT NULL,
  priority INTEGER NOT NULL,
  parent VARCHAR NOT NULL,
  write JSON,
  checks JSON NOT NULL,
  timeout_s DOUBLE NOT NULL,
  held BOOLEAN NOT NULL,
  target VARCHAR NOT NULL,
  name VARCHAR NOT NULL,
  worktree TEXT NOT NULL,
  branch VARCHAR NOT NULL,
  base_commit VARCHAR NOT NULL,
  landed_commit VARCHAR NOT NULL,
  created_at DOUBLE NOT NULL,
  changed_at DOUBLE NOT NULL,
  status VARCHAR NOT NULL,
  reason VARCHAR NOT NULL,
  detail TEXT NOT NULL,
  next_purpose VARCHAR NOT NULL,
  nblock INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  PRIMARY KEY (seq),
  UNIQUE (id),
  FOREIGN KEY(project) REFERENCES projects (id)
);
CREATE INDEX tasks_ready ON tasks (project, agent, status, nblock, priority, seq);
CREATE INDEX tasks_status ON tasks (status, seq);

CREATE TABLE texts (
  hash VARCHAR NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (hash)
);

CREATE TABLE tokens (
  hash VARCHAR NOT NULL,
  agent VARCHAR NOT NULL,
  project VARCHAR NOT NULL,
  run VARCHAR NOT NULL,
  expires_at DOUBLE NOT NULL,
  limit_at DOUBLE NOT NULL,
  ended_at DOUBLE,
  ended_by VARCHAR NOT NULL,
  PRIMARY KEY (hash)
);
CREATE INDEX tokens_expiry ON tokens (ended_at, expires_at);
CREATE INDEX tokens_pair ON tokens (agent, project, ended_at);
CREATE INDEX tokens_run ON tokens (run);

CREATE TABLE verbs (
  seq INTEGER NOT NULL,
  task VARCHAR NOT NULL,
  verb VARCHAR NOT NULL,
  generation INTEGER NOT NULL,
  landing_seq INTEGER NOT NULL,
  reason VARCHAR NOT NULL,
  note TEXT NOT NULL,
  at DOUBLE NOT NULL,
  PRIMARY KEY (seq),
  FOREIGN KEY(task) REFERENCES tasks (id)
);
CREATE INDEX ix_verbs_task ON verbs (task);
