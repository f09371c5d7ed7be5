# contrib-style build of the columnar table access method with PGXS
MODULE_big = columnar
OBJS = $(sort $(patsubst %.c,%.o,$(wildcard src/*.c src/encoding/*.c \
	src/storage/*.c src/access/*.c src/exec/*.c)))
PGFILEDESC = "columnar - columnar table access method"

EXTENSION = columnar
DATA = columnar--1.0.sql

# Only what SQL calls is exported; the server says so itself from 16 on.
PG_CPPFLAGS = -I$(srcdir)/src/include \
	'-DPGDLLEXPORT=__attribute__((visibility("default")))'
PG_CFLAGS = -Wextra -Wno-unused-parameter -Wno-sign-compare \
	-Wno-missing-field-initializers -Wno-cast-function-type \
	-fvisibility=hidden
SHLIB_LINK = -llz4 -lzstd

REGRESS = $(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql)))
REGRESS_OPTS = --load-extension=columnar
# plans and orders depend on the database's collation
NO_LOCALE = 1
ENCODING = UTF8
ISOLATION = $(patsubst test/specs/%.spec,%,$(sort $(wildcard test/specs/*.spec)))
ISOLATION_OPTS = --inputdir=$(srcdir)/test --load-extension=columnar
TAP_TESTS = 1
PROVE_TESTS = test/t/*.pl

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# The encoding library sees no server header: tell it of assertions this way.
ifneq (,$(findstring --enable-cassert,$(shell $(PG_CONFIG) --configure)))
override CPPFLAGS += -DENCODING_ASSERTIONS
endif

# A server built by gcc hands out flags and attributes that clang warns of.
ifneq (,$(findstring clang,$(CC)))
override CFLAGS := $(filter-out -fexcess-precision=standard \
	-Wimplicit-fallthrough=3 -Wno-format-truncation \
	-Wno-stringop-truncation,$(CFLAGS)) -Wno-ignored-attributes
endif

# PGXS follows no headers: one that changes has everything compiled again.
$(OBJS): $(wildcard $(srcdir)/src/include/*.h $(srcdir)/src/include/*/*.h \
	$(srcdir)/src/*/*_template.h)
