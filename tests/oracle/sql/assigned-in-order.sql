# judges: mysql
# Lists that assign to user variables see the rows in the order of ORDER BY
create table sc (g int, a int, s varchar(5), key(g))
insert into sc values(1,5,'e'),(2,3,'c'),(1,3,'c'),(2,4,'d'),(1,2,'b'),(2,5,'e'),(1,1,'a'),(2,4,'d')
select @r:=@r+1 as r, a from sc, (select @r:=0) i order by a
select @r:=@r+1 as r, a from sc, (select @r:=0) i order by a desc, g limit 3
select @r
select * from (select g, a, @n:=if(@g=g,@n+1,1) as n, @g:=g from sc, (select @n:=0,@g:=0) i order by g, a desc) q where n<=2
set @s:=0
select a, @s:=@s+a from sc order by a desc
set @t:=0
select @t:=@t+1, a from sc order by a limit 2
select @t
set @i:=0
set @x:=0
select @x:=@x+1 n, s, upper(s) u from sc where g < 9 order by s desc, a
select s, @x:=@x+1 n from sc where g = 1 order by 1
select @x:=@x+1 n, sc.* from sc where g=2 order by n desc, a
select @p:=a, @p*2 from sc where g=1 order by a
select g, @y:=count(*) from sc group by g order by g desc
select @y
set @l:=null
select a, a-@l d, @l:=a from sc where g=1 order by a
select (select @v:=max(a) from sc), @v
