-- A small world of schema version 0019: that of 0018, as the program of that version made it (Connection.iterdump).
BEGIN TRANSACTION;
CREATE TABLE "account" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	name VARCHAR(32) NOT NULL, 
	password TEXT NOT NULL, 
	access INTEGER NOT NULL, 
	created_at DOUBLE NOT NULL, 
	banned_until DOUBLE, 
	ban_reason TEXT NOT NULL, 
	last_login DOUBLE, 
	last_address TEXT NOT NULL, 
	session_epoch BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT uq_account_name UNIQUE (name), 
	CONSTRAINT ck_account_lower CHECK (name = lower(name))
);
INSERT INTO "account" VALUES(1,'anna','$argon2id$v=19$m=16384,t=1,p=1$pYGK0m/NN1AEoGK08Gh3CA$G22tFoTmseopZNEBBPKsLQt8MKuIxhywbIibzNp2slI',0,1700000000.0,NULL,'',NULL,'',0);
CREATE TABLE admin_order (
	id INTEGER NOT NULL, 
	command TEXT NOT NULL, 
	created_at DOUBLE NOT NULL, 
	done_at DOUBLE, 
	result TEXT, 
	CONSTRAINT pk_admin_order PRIMARY KEY (id)
);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0019');
CREATE TABLE allocator (
	id INTEGER NOT NULL, 
	mobile_mark BIGINT NOT NULL, 
	item_mark BIGINT NOT NULL, 
	CONSTRAINT pk_allocator PRIMARY KEY (id), 
	CONSTRAINT ck_allocator_single CHECK (id = 1)
);
INSERT INTO "allocator" VALUES(1,10001,1073751824);
CREATE TABLE audit (
	id INTEGER NOT NULL, 
	at DOUBLE NOT NULL, 
	tick BIGINT NOT NULL, 
	who TEXT NOT NULL, 
	what TEXT NOT NULL, 
	detail TEXT NOT NULL, 
	CONSTRAINT pk_audit PRIMARY KEY (id)
);
CREATE TABLE caster (
	character INTEGER NOT NULL, 
	mana INTEGER NOT NULL, 
	mana_max INTEGER NOT NULL, 
	CONSTRAINT pk_caster PRIMARY KEY (character), 
	CONSTRAINT fk_caster_character FOREIGN KEY(character) REFERENCES character (serial)
);
INSERT INTO "caster" VALUES(1,43,43);
CREATE TABLE "character" (
	serial INTEGER NOT NULL, 
	account INTEGER NOT NULL, 
	name VARCHAR(32) NOT NULL, 
	created_at DOUBLE NOT NULL, 
	template TEXT NOT NULL, 
	realm TEXT, 
	x INTEGER NOT NULL, 
	y INTEGER NOT NULL, 
	z INTEGER NOT NULL, 
	heading INTEGER NOT NULL, 
	female BOOLEAN NOT NULL, 
	title TEXT NOT NULL, 
	hair INTEGER NOT NULL, 
	hair_hue INTEGER NOT NULL, 
	beard INTEGER NOT NULL, 
	skin_hue INTEGER NOT NULL, 
	hits INTEGER NOT NULL, 
	hits_max INTEGER NOT NULL, 
	stam INTEGER NOT NULL, 
	stam_max INTEGER NOT NULL, 
	dead BOOLEAN NOT NULL, 
	hidden BOOLEAN NOT NULL, 
	notoriety INTEGER NOT NULL, 
	delete_at DOUBLE, 
	short_name VARCHAR(32) NOT NULL, 
	murders INTEGER NOT NULL, 
	home_realm TEXT NOT NULL, 
	home_x INTEGER NOT NULL, 
	home_y INTEGER NOT NULL, 
	world INTEGER, 
	CONSTRAINT pk_character PRIMARY KEY (serial), 
	CONSTRAINT fk_character_account FOREIGN KEY(account) REFERENCES account (id)
);
INSERT INTO "character" VALUES(1,1,'Anna',1700000000.0,'player','confluence',55,61,0,4,0,'',0,1102,0,1002,62,62,30,30,0,0,1,NULL,'Anna',0,'',0,0,NULL);
CREATE TABLE character_name (
	"key" VARCHAR(32) NOT NULL, 
	character INTEGER NOT NULL, 
	CONSTRAINT pk_character_name PRIMARY KEY ("key"), 
	CONSTRAINT fk_character_name_character FOREIGN KEY(character) REFERENCES character (serial)
);
INSERT INTO "character_name" VALUES('anna',1);
CREATE TABLE character_notes (
	character INTEGER NOT NULL, 
	game TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	text TEXT NOT NULL, 
	CONSTRAINT pk_character_notes PRIMARY KEY (character, game, "key"), 
	CONSTRAINT fk_character_notes_character FOREIGN KEY(character) REFERENCES character (serial)
);
INSERT INTO "character_notes" VALUES(1,'l2','class','human_fighter');
CREATE TABLE edition (
	"of" TEXT NOT NULL, 
	number BIGINT NOT NULL, 
	CONSTRAINT pk_edition PRIMARY KEY ("of")
);
CREATE TABLE fighter (
	character INTEGER NOT NULL, 
	strength INTEGER NOT NULL, 
	dexterity INTEGER NOT NULL, 
	intelligence INTEGER NOT NULL, 
	vitality INTEGER NOT NULL, 
	CONSTRAINT pk_fighter PRIMARY KEY (character), 
	CONSTRAINT fk_fighter_character FOREIGN KEY(character) REFERENCES character (serial)
);
INSERT INTO "fighter" VALUES(1,12,10,10,10);
CREATE TABLE guild (
	name TEXT NOT NULL, 
	tag TEXT NOT NULL, 
	notice TEXT NOT NULL, 
	founded_at DOUBLE NOT NULL, 
	box INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	CONSTRAINT pk_guild PRIMARY KEY (number)
);
INSERT INTO "guild" VALUES('Weavers','WV','Market at noon',1800000000.0,0,1);
CREATE TABLE guild_entry (
	guild INTEGER NOT NULL, 
	at DOUBLE NOT NULL, 
	who TEXT NOT NULL, 
	deed TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	CONSTRAINT pk_guild_entry PRIMARY KEY (number)
);
INSERT INTO "guild_entry" VALUES(1,1800000000.0,'Anna','founded the guild',1);
CREATE TABLE guild_member (
	guild INTEGER NOT NULL, 
	character INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	rank INTEGER NOT NULL, 
	level INTEGER NOT NULL, 
	given BIGINT NOT NULL, 
	joined_at DOUBLE NOT NULL, 
	seen_at DOUBLE NOT NULL, 
	number INTEGER NOT NULL, 
	CONSTRAINT pk_guild_member PRIMARY KEY (number)
);
INSERT INTO "guild_member" VALUES(1,1,'Anna',3,1,0,1800000000.0,1800000000.0,1);
CREATE TABLE guild_tie (
	guild INTEGER NOT NULL, 
	other INTEGER NOT NULL, 
	bond TEXT NOT NULL, 
	since DOUBLE NOT NULL, 
	number INTEGER NOT NULL, 
	CONSTRAINT pk_guild_tie PRIMARY KEY (number)
);
CREATE TABLE "item" (
	serial INTEGER NOT NULL, 
	template TEXT NOT NULL, 
	parent INTEGER, 
	layer INTEGER NOT NULL, 
	slot_x INTEGER NOT NULL, 
	slot_y INTEGER NOT NULL, 
	realm TEXT, 
	x INTEGER NOT NULL, 
	y INTEGER NOT NULL, 
	z INTEGER NOT NULL, 
	amount BIGINT NOT NULL, 
	hue INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	remains TEXT, 
	owner INTEGER, 
	lit BOOLEAN NOT NULL, 
	text TEXT, 
	signed TEXT, 
	written DOUBLE, 
	CONSTRAINT pk_item PRIMARY KEY (serial), 
	CONSTRAINT ck_item_amount CHECK (amount > 0)
);
INSERT INTO "item" VALUES(1073741824,'shirt',1,5,0,0,NULL,0,0,0,1,0,'',NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO "item" VALUES(1073741825,'pants',1,4,0,0,NULL,0,0,0,1,0,'',NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO "item" VALUES(1073741826,'shoes',1,3,0,0,NULL,0,0,0,1,0,'',NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO "item" VALUES(1073741827,'backpack',1,21,0,0,NULL,0,0,0,1,0,'',NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO "item" VALUES(1073741828,'gold',1073741827,0,44,65,NULL,0,0,0,100,0,'',NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO "item" VALUES(1073741829,'bread',1073741827,0,64,65,NULL,0,0,0,3,0,'',NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO "item" VALUES(1073741830,'apple',1073741827,0,84,65,NULL,0,0,0,2,0,'',NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO "item" VALUES(1073741831,'bandage',1073741827,0,104,65,NULL,0,0,0,10,0,'',NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO "item" VALUES(1073741832,'healing_potion',1073741827,0,44,85,NULL,0,0,0,2,0,'',NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO "item" VALUES(1073741833,'dagger',1073741827,0,64,85,NULL,0,0,0,1,0,'',NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO "item" VALUES(1073741834,'candle',1073741827,0,84,85,NULL,0,0,0,1,0,'',NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO "item" VALUES(1073741835,'bag',NULL,0,0,0,'confluence',56,61,0,1,0,'',NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO "item" VALUES(1073741836,'bread',1073741835,0,44,65,NULL,0,0,0,4,0,'',NULL,NULL,0,NULL,NULL,NULL);
CREATE TABLE journal (
	step TEXT NOT NULL, 
	count INTEGER NOT NULL, 
	chosen TEXT NOT NULL, 
	begun_at DOUBLE NOT NULL, 
	step_at DOUBLE NOT NULL, 
	finished_at DOUBLE NOT NULL, 
	times INTEGER NOT NULL, 
	character INTEGER NOT NULL, 
	quest TEXT NOT NULL, 
	CONSTRAINT pk_journal PRIMARY KEY (character, quest), 
	CONSTRAINT fk_journal_character FOREIGN KEY(character) REFERENCES character (serial)
);
CREATE TABLE kind_number (
	game TEXT NOT NULL, 
	list TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	CONSTRAINT pk_kind_number PRIMARY KEY (game, list, "key"), 
	CONSTRAINT uq_kind_number_game_list_number UNIQUE (game, list, number)
);
INSERT INTO "kind_number" VALUES('eo','npcs','healer',1);
CREATE TABLE "learner" (
	character INTEGER NOT NULL, 
	level INTEGER NOT NULL, 
	experience BIGINT NOT NULL, 
	points INTEGER NOT NULL, 
	strength_lock INTEGER NOT NULL, 
	dexterity_lock INTEGER NOT NULL, 
	intelligence_lock INTEGER NOT NULL, 
	CONSTRAINT pk_learner PRIMARY KEY (character), 
	CONSTRAINT fk_learner_character FOREIGN KEY(character) REFERENCES character (serial)
);
INSERT INTO "learner" VALUES(1,1,133,0,2,0,0);
CREATE TABLE "letter" (
	receiver INTEGER NOT NULL, 
	receiver_name TEXT NOT NULL, 
	sender INTEGER NOT NULL, 
	sender_name TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	text TEXT NOT NULL, 
	sent_at DOUBLE NOT NULL, 
	until DOUBLE NOT NULL, 
	box INTEGER NOT NULL, 
	price INTEGER NOT NULL, 
	read BOOLEAN NOT NULL, 
	returned BOOLEAN NOT NULL, 
	under_way BOOLEAN NOT NULL, 
	number INTEGER NOT NULL, 
	CONSTRAINT pk_letter PRIMARY KEY (number)
);
CREATE TABLE listing (
	owner INTEGER NOT NULL, 
	other INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	ignored BOOLEAN NOT NULL, 
	number INTEGER NOT NULL, 
	CONSTRAINT pk_listing PRIMARY KEY (number)
);
CREATE TABLE login_token (
	token TEXT NOT NULL, 
	account INTEGER NOT NULL, 
	game TEXT NOT NULL, 
	notes TEXT NOT NULL, 
	address TEXT NOT NULL, 
	expires DATETIME NOT NULL, 
	CONSTRAINT pk_login_token PRIMARY KEY (token), 
	CONSTRAINT fk_login_token_account FOREIGN KEY(account) REFERENCES account (id)
);
CREATE TABLE mark (
	borne BOOLEAN NOT NULL, 
	character INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	CONSTRAINT pk_mark PRIMARY KEY (character, name), 
	CONSTRAINT fk_mark_character FOREIGN KEY(character) REFERENCES character (serial)
);
INSERT INTO "mark" VALUES(1,1,'baked_for_greta');
CREATE TABLE meta (
	id INTEGER NOT NULL, 
	tick BIGINT NOT NULL, 
	wall DOUBLE NOT NULL, 
	clean BOOLEAN NOT NULL, 
	gold BIGINT NOT NULL, 
	CONSTRAINT pk_meta PRIMARY KEY (id)
);
INSERT INTO "meta" VALUES(1,19,1700000002.0,1,100);
CREATE TABLE parcel (
	id TEXT NOT NULL, 
	from_world INTEGER NOT NULL, 
	to_world INTEGER NOT NULL, 
	content TEXT NOT NULL, 
	sent_at DATETIME NOT NULL, 
	taken_at DATETIME, 
	CONSTRAINT pk_parcel PRIMARY KEY (id)
);
CREATE TABLE party (
	leader INTEGER NOT NULL, 
	loot TEXT NOT NULL, 
	took INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	CONSTRAINT pk_party PRIMARY KEY (number)
);
INSERT INTO "party" VALUES(1,'turns',0,1);
CREATE TABLE party_member (
	party INTEGER NOT NULL, 
	character INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	short_name TEXT NOT NULL, 
	female BOOLEAN NOT NULL, 
	level INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	CONSTRAINT pk_party_member PRIMARY KEY (number)
);
INSERT INTO "party_member" VALUES(1,1,'Anna','Anna',1,1,1);
CREATE TABLE realm_owner (
	realm TEXT NOT NULL, 
	world INTEGER NOT NULL, 
	CONSTRAINT pk_realm_owner PRIMARY KEY (realm)
);
CREATE TABLE report (
	at DOUBLE NOT NULL, 
	who TEXT NOT NULL, 
	about TEXT NOT NULL, 
	text TEXT NOT NULL, 
	place TEXT NOT NULL, 
	lines TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	CONSTRAINT pk_report PRIMARY KEY (number)
);
CREATE TABLE sentence (
	penalty TEXT NOT NULL, 
	account INTEGER NOT NULL, 
	character INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	until DOUBLE NOT NULL, 
	reason TEXT NOT NULL, 
	"by" TEXT NOT NULL, 
	realm TEXT NOT NULL, 
	x INTEGER NOT NULL, 
	y INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	CONSTRAINT pk_sentence PRIMARY KEY (number)
);
CREATE TABLE skill (
	character INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	value INTEGER NOT NULL, 
	lock INTEGER NOT NULL, 
	CONSTRAINT pk_skill PRIMARY KEY (character, name), 
	CONSTRAINT fk_skill_character FOREIGN KEY(character) REFERENCES character (serial)
);
INSERT INTO "skill" VALUES(1,'magery',305,1);
CREATE TABLE transfer (
	id TEXT NOT NULL, 
	character INTEGER NOT NULL, 
	from_world INTEGER NOT NULL, 
	to_world INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_transfer PRIMARY KEY (id)
);
CREATE TABLE "world" (
	id INTEGER NOT NULL, 
	epoch BIGINT NOT NULL, 
	beat DATETIME NOT NULL, 
	address TEXT, 
	CONSTRAINT pk_world PRIMARY KEY (id)
);
INSERT INTO "world" VALUES(1,0,'2023-11-14 22:13:22',NULL);
CREATE INDEX ix_audit_who ON audit (who);
CREATE INDEX ix_character_name_character ON character_name (character);
CREATE INDEX ix_item_parent ON item (parent);
CREATE UNIQUE INDEX uq_item_worn ON item (parent, layer) WHERE layer > 0;
CREATE INDEX ix_realm_owner_world ON realm_owner (world);
CREATE INDEX ix_character_account ON character (account);
CREATE INDEX ix_character_delete_at ON character (delete_at) WHERE delete_at IS NOT NULL;
CREATE INDEX ix_character_world ON character (world) WHERE world IS NOT NULL;
CREATE INDEX ix_login_token_account ON login_token (account);
CREATE INDEX ix_transfer_character ON transfer (character);
CREATE INDEX ix_parcel_waiting ON parcel (to_world) WHERE taken_at IS NULL;
CREATE INDEX ix_letter_receiver ON letter (receiver);
CREATE INDEX ix_letter_under_way ON letter (receiver) WHERE under_way;
CREATE INDEX ix_character_created_at ON character (created_at);
CREATE INDEX ix_listing_owner ON listing (owner);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('account',1);
COMMIT;
